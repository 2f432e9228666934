//! What SQLite and the disk say, in words.

use rusqlite::ErrorCode;

use crate::problem::{Code, Problem};

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        let problem = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                busy()
            }
            Some(ErrorCode::DiskFull) => {
                Self::new(Code::DiskFull, "The disk is full, so nothing can be saved.")
                    .hint("Free some space and try again.")
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                Self::new(Code::ReadOnly, "Outtray’s data folder cannot be written.")
                    .hint("Check who owns it and whether the disk is mounted for writing.")
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::new(Code::Internal, "The outbox’s database is damaged.")
                    .hint(
                        "Quit Outtray everywhere and move outtray.db, outtray.db-wal and outtray.db-shm out of its data \
                         folder to begin anew. Keep them: what they hold may be recovered.",
                    )
            }
            _ => match error {
                rusqlite::Error::QueryReturnedNoRows => {
                    Self::new(Code::NotFound, "There is no such thing any more.")
                }
                _ => Self::new(Code::Internal, "The outbox’s database did not do what was asked."),
            },
        };
        problem.because(error)
    }
}

/// Turns an error of the file system into words about `what`.
pub(crate) fn disk(what: &str, error: std::io::Error) -> Problem {
    use std::io::ErrorKind;
    let problem = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Problem::new(Code::DiskFull, format!("The disk is full: {what} could not be written."))
                .hint("Free some space and try again.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Problem::new(Code::ReadOnly, format!("{what} cannot be written."))
                .hint("Check who owns Outtray’s data folder and whether the disk is mounted for writing.")
        }
        _ => Problem::new(Code::Internal, format!("{what} could not be used."))
            .hint("Try again; outtrayctl doctor says more."),
    };
    problem.because(error)
}

/// Somebody else writes, and was waited for long enough.
pub(super) fn busy() -> Problem {
    Problem::new(Code::Busy, "The outbox is busy.").hint("Try again in a moment.")
}
