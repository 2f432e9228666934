//! A moment becomes a draft: what a person attaches is copied beside the store at once, and the copy is what travels.
//!
//! A file lies here, whole and on the disk, before the row that names it commits; a crash in between leaves a file
//! that no row names, which [`Files::sweep`] erases later. The database is not known here: names come in, bytes go out.

mod files;
mod laid;
mod name;
mod picture;

pub use files::{Files, Kept, LARGEST};
pub use name::{clean_name, unique_name};
