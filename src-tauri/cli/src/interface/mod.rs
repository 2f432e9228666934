//! The command line as a person types it, and its manual. The names of verbs and options are a contract: they are
//! added to, never renamed.

mod destination;
mod entries;
mod file;

pub(crate) use destination::{AddArgs, DestinationVerb};
pub(crate) use entries::{ListArgs, ResolveArgs, RetryArgs, SaveArgs, ShowArgs};
pub(crate) use file::{EditArgs, FileArgs};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// File issues from the command line: saved at once, filed exactly once.
///
/// outtrayctl is Outtray without a desktop. “file” returns as soon as the issue is safe on this computer; it is
/// delivered by the Outtray app when that is running, or by “outtrayctl drain”. Every issue is filed exactly once,
/// however often it is tried and by whom; what only a person can decide is kept for you, and “outtrayctl status” says so.
///
/// The app and any number of outtrayctl may work on the same outbox at the same time.
#[derive(Debug, Parser)]
#[command(name = "outtrayctl", version, arg_required_else_help = true, max_term_width = 100, after_long_help = MANUAL)]
pub(crate) struct Interface {
    /// Print JSON instead of text, on standard output and for errors on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const MANUAL: &str = "\
EXAMPLES:
  outtrayctl file --to Folder --title \"The till does not open\" --attach till.png
  OUTTRAY_TOKEN_WORK=… outtrayctl destination add work --tracker gitea \\
      --url https://git.example.org --project ada/shop
  outtrayctl drain --until-idle --deadline 60 || outtrayctl status

EXIT STATUS:
  0  Done. For “file”: the issue is saved.
  1  It did not work; a sentence on standard error says why.
  2  The command line was not understood.
  3  Not yet. For “drain”: entries are left waiting.
     For “file --wait”: saved, but not filed so far.

ENVIRONMENT:
  OUTTRAY_HOME
      Where everything is kept. By default $XDG_DATA_HOME/outtray, or else
      ~/.local/share/outtray.
  OUTTRAY_TOKEN_<NAME>
      The token for the destination NAME: in upper case, with “_” for
      everything but letters and digits. It comes before the one in the
      keyring of the desktop.
  OUTTRAY_LOG
      Writes a log to standard error, such as OUTTRAY_LOG=debug.
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
      The proxy to use, as usual.

FILES:
  $OUTTRAY_HOME/outtray.db
      The outbox. Open it with nothing but Outtray while Outtray runs.
  $OUTTRAY_HOME/attachments
      What travels with the issues. Yours alone, like everything in there.";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    #[command(flatten)]
    Act(Act),

    /// Look whether everything is in order here
    ///
    /// Looks at the data folder and its rights, the database, the free space, and whether there is a token for each
    /// destination that needs one. Asks no tracker: “outtrayctl destination test” does.
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl doctor
  outtrayctl doctor --json

EXIT STATUS:
  0  Nothing needs fixing.
  1  Something does; each line says what, and what to do.")]
    Doctor,

    /// Print a script that completes the command line in a shell
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl completions bash > ~/.local/share/bash-completion/completions/outtrayctl
  outtrayctl completions zsh > ~/.zfunc/_outtrayctl
  outtrayctl completions fish > ~/.config/fish/completions/outtrayctl.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// What is done with an open engine.
#[derive(Debug, Subcommand)]
pub(crate) enum Act {
    /// Add, list, remove and test the places issues go to
    ///
    /// A destination is a tracker account plus a project in it, or a folder on this computer. A new outbox has one
    /// already: the folder “Folder”.
    #[command(
        arg_required_else_help = true,
        after_long_help = "\
EXAMPLES:
  outtrayctl destination list
  outtrayctl destination add reports --tracker folder --path ~/Reports
  outtrayctl destination test work"
    )]
    Destination {
        #[command(subcommand)]
        verb: DestinationVerb,
    },

    File(Box<FileArgs>),

    Catalogue(CatalogueArgs),

    List(ListArgs),

    Show(ShowArgs),

    Save(SaveArgs),

    Drain(DrainArgs),

    /// Say in one line how things stand
    ///
    /// The same value that the tray and the windows of the app show. With --json at least: level (needs_you, paused,
    /// offline, sending, waiting or calm), waiting, sending, attention, offline, paused, headline.
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl status
  test \"$(outtrayctl status --json | jq -r .level)\" = calm")]
    Status,

    Retry(RetryArgs),

    /// Take an entry back before it is filed
    ///
    /// It stays in the list and can be restored. While it is being sent, this is recorded as a wish and honoured at the
    /// next safe moment (--json says “wish”: true, exit status 0).
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl withdraw 12")]
    Withdraw {
        /// The entry's number
        #[arg(value_name = "ID")]
        id: i64,
    },

    /// Put an entry back that was taken back
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl restore 12")]
    Restore {
        /// The entry's number
        #[arg(value_name = "ID")]
        id: i64,
    },

    Edit(Box<EditArgs>),

    Resolve(ResolveArgs),

    /// Send an entry to another destination
    ///
    /// What may have been filed already stays where it is; that is refused in words.
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl move 12 --to Folder")]
    Move {
        /// The entry's number
        #[arg(value_name = "ID")]
        id: i64,
        /// The destination it goes to
        #[arg(long, value_name = "NAME")]
        to: String,
    },

    Export(ExportArgs),

    /// Take in an outbox that “export” wrote
    ///
    /// All of it or nothing. What is here already under its key stays as it is. Whatever is not filed is looked for before it
    /// is sent. A copy arrives held: “retry ID” files one here, “retry --copies” all of them. A move goes on by itself.
    /// Tokens do not travel: sign in to each destination here. With --json: kind, entries, held, already, put_back, drafts,
    /// destinations.
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl import outbox.tar
  outtrayctl import outbox.tar --json | jq .already

EXIT STATUS:
  0  Everything in it is here, whether it came now or was here already.
  1  It is no archive of ours, or not whole; nothing was imported.")]
    Import {
        /// The file that “export” wrote
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },

    Pause(PauseArgs),

    /// Go on sending, to one destination or to all
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl resume
  outtrayctl resume work")]
    Resume {
        /// The destination; without it, everything that was paused
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },

    /// Read and change settings
    #[command(
        arg_required_else_help = true,
        after_long_help = "\
EXAMPLES:
  outtrayctl settings get
  outtrayctl settings set drain.workers 5"
    )]
    Settings {
        #[command(subcommand)]
        verb: SettingsVerb,
    },
}

/// Show what a destination offers to choose from
///
/// Its labels, open milestones, the people that issues can be assigned to, its issue templates and the titles that are
/// there: as they were last read, with their age. --refresh asks the tracker first; what it does not tell stays as it was.
/// With --json: destination, labels, milestones, assignees, templates, titles, parts (part, fetched_at, failure).
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl catalogue work --refresh
  outtrayctl catalogue work --json | jq -r '.labels[].name'

EXIT STATUS:
  0  Shown.
  1  There is no such destination; with --refresh also: not all of it could be read.")]
pub(crate) struct CatalogueArgs {
    /// The destination, as “destination list” names it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Ask the tracker first
    #[arg(long)]
    pub(crate) refresh: bool,
}

/// Deliver what is due
///
/// One drain takes on what is due now. --until-idle goes on until nothing is due any more. --deadline also waits, up to
/// so many seconds, for what is due later: backoffs, look-ups, quiet times, rate limits; not for pauses and sign-ins.
/// With --json: filed, left_waiting, attention, without_token.
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl drain
  outtrayctl drain --until-idle --deadline 60

EXIT STATUS:
  0  Nothing is left waiting. What needs you does not count: “outtrayctl status” tells.
  1  The outbox could not be used.
  3  Entries are left waiting.")]
pub(crate) struct DrainArgs {
    /// Drain until nothing is due any more
    #[arg(long)]
    pub(crate) until_idle: bool,
    /// Wait up to so many seconds for what is due later; includes --until-idle
    #[arg(long, value_name = "SECS")]
    pub(crate) deadline: Option<u64>,
}

/// Write the whole outbox into one file
///
/// The file holds entries, drafts and attachments in plain; it is yours alone to read, and no token is in it. A copy leaves
/// everything as it is. A move gives away what is not filed: it is filed there, and here no more. Nothing that is being sent
/// can move: pause all work first. With --json: kind, entries, unfiled, drafts, files, missing.
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl export outbox.tar
  outtrayctl pause && outtrayctl export --move /media/stick/outbox.tar

EXIT STATUS:
  0  The file is safe on the disk.
  1  There is no file, and nothing has moved.")]
pub(crate) struct ExportArgs {
    /// The file to write
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Give away what is not filed: another computer goes on with it
    #[arg(long = "move")]
    pub(crate) moves: bool,
    /// Replace the file if it is there already
    #[arg(long)]
    pub(crate) force: bool,
}

/// Stop sending, to one destination or to all
///
/// What is being sent at this moment is finished. Saving goes on as ever.
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl pause
  outtrayctl pause work --for 30")]
pub(crate) struct PauseArgs {
    /// The destination; without it, everything
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// For so many minutes; without it, until “resume”
    #[arg(long = "for", value_name = "MIN", value_parser = clap::value_parser!(u32).range(1..=525_600))]
    pub(crate) minutes: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SettingsVerb {
    /// Show all settings, or one
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl settings get
  outtrayctl settings get drain.workers --json | jq .value")]
    Get {
        /// Its name
        #[arg(value_name = "KEY")]
        key: Option<String>,
    },

    /// Change a setting; “unset” goes back to the default
    ///
    /// Takes effect at once, also in an app that is running.
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl settings set drain.workers 5
  outtrayctl settings set drain.quiet_ms unset")]
    Set {
        /// Its name
        #[arg(value_name = "KEY")]
        key: String,
        /// A whole number, or “unset”
        #[arg(value_name = "VALUE", allow_hyphen_values = true)]
        value: String,
    },
}
