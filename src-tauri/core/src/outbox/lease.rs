//! The right to work on one entry until a moment, and what a fenced write returns.

use crate::clock::Now;
use crate::fault::mistake;

/// Proof of a claim. Whoever wants to write about an entry while working on it shows one.
///
/// A lease names its entry by *token and fence*: the token says which drain, the fence which claim. A write that finds
/// another pair there changes nothing and says [`Fenced::Lost`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The entry.
    pub entry: i64,
    /// The drain's claim token.
    pub token: String,
    /// The number this claim got; higher than that of every claim before, in the whole store. The attempt that begins with
    /// the claim is known by it.
    pub fence: i64,
    /// When the lease ends, on the boot clock.
    pub until_ms: i64,
    /// Until when its holder believes in it. Counted from before the claim or renewal was asked for, and ending well
    /// before the lease does, so that the holder stops first, however late the answer was.
    pub trusted_until_ms: i64,
    /// How long one renewal is good for.
    pub length_ms: i64,
}

impl Lease {
    /// The moment until which a lease of `length_ms`, asked for at `asked`, is believed: two thirds of it.
    pub fn trust(asked: &Now, length_ms: i64) -> i64 {
        let length_ms = if mistake("trust_beyond_the_lease") { length_ms * 6 } else { length_ms };
        asked.boot_ms + length_ms * 2 / 3
    }

    /// Whether its holder may still go on at `now`.
    pub const fn is_trusted(&self, now: &Now) -> bool {
        now.boot_ms < self.trusted_until_ms
    }

    /// When to renew next: a third of the lease after it was last asked for.
    pub const fn renew_at_ms(&self) -> i64 {
        self.trusted_until_ms - self.length_ms / 3
    }
}

/// What a fenced write came to.
#[must_use = "a lost lease means: stop, touch nothing"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fenced<T> {
    /// The lease still held, and the write stands.
    Held(T),
    /// Somebody else has the entry, or it was taken away: nothing was written.
    Lost,
}
