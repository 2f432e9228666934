//! The destination verbs as a person types them, and their manual.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use outtray_core::issue::TrackerKind;

#[derive(Debug, Subcommand)]
pub(crate) enum DestinationVerb {
    Add(AddArgs),

    /// List the destinations, the default one first
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl destination list
  outtrayctl destination list --json | jq -r '.[].name'")]
    List,

    /// Remove a destination, and forget its token
    ///
    /// What was filed there stays there. While something still waits for it, this is refused.
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl destination remove work")]
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },

    /// Make a destination the default one for new issues in the app
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl destination default work")]
    Default {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },

    /// Name the certificates that a destination is believed by
    ///
    /// For a server whose certificate comes from an authority of its own: a PEM file with that authority's certificate, in
    /// addition to those that this computer trusts, and for this destination only. With --json: the destination.
    #[command(
        group = clap::ArgGroup::new("which").required(true),
        after_long_help = "\
EXAMPLES:
  outtrayctl destination certificate work --ca ~/intranet-ca.pem
  outtrayctl destination certificate work --none"
    )]
    Certificate {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// The PEM file
        #[arg(long, value_name = "FILE", group = "which")]
        ca: Option<PathBuf>,
        /// Only this computer's own certificates
        #[arg(long, group = "which")]
        none: bool,
    },

    /// Ask a destination whether issues can be filed there now
    ///
    /// A test that works ends a hold for want of a sign-in. With --json: works, words, hint.
    #[command(after_long_help = "\
EXAMPLES:
  outtrayctl destination test work
  pass show git-token | outtrayctl destination test work --token-stdin

EXIT STATUS:
  0  Issues can be filed there.
  1  They cannot, or not now; the reason is told.")]
    Test {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// Read a new token from standard input and keep it in the keyring first
        #[arg(long)]
        token_stdin: bool,
    },
}

/// Add a destination; works without the network
///
/// The token comes from the environment variable OUTTRAY_TOKEN_<NAME>, whenever it is needed, or from the keyring of the
/// desktop, where --token-stdin keeps it. It is never written to a file. When it cannot be kept, nothing is added.
#[derive(Debug, Args)]
#[command(after_long_help = "\
EXAMPLES:
  outtrayctl destination add reports --tracker folder --path ~/Reports
  OUTTRAY_TOKEN_WORK=… outtrayctl destination add work --tracker gitea \\
      --url https://git.example.org --project ada/shop
  pass show git-token | outtrayctl destination add work --tracker forgejo \\
      --url https://code.example.org/forge --project ada/shop --token-stdin")]
pub(crate) struct AddArgs {
    /// What you call it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Which service it is
    #[arg(long, value_name = "TRACKER", value_parser = tracker())]
    pub(crate) tracker: TrackerKind,
    /// The address of the service; a path below it is fine. GitHub and GitLab need none for their own
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// The project there: owner/name, group/part/name at GitLab, its identifier at Redmine
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// The branch for pictures that GitHub takes nowhere else; the token needs “Contents: write” for it
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// The receiver of a webhook recognises an Idempotency-Key that it has seen, so a doubt is simply sent again
    #[arg(long)]
    pub(crate) honours_key: bool,
    /// A PEM file with certificates that are trusted there besides this computer's own
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// The folder, for the tracker “folder”
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,
    /// Read the token from standard input and keep it in the keyring
    #[arg(long)]
    pub(crate) token_stdin: bool,
}

fn tracker() -> impl TypedValueParser<Value = TrackerKind> {
    PossibleValuesParser::new(TrackerKind::ALL.map(TrackerKind::word))
        .try_map(|word| TrackerKind::from_word(&word).ok_or("no such tracker"))
}
