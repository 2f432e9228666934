//! The outbox as it should be: a few lines of plain Rust, against which the store is held.

/// A lease, as in `tests/desk`.
pub const LEASE_MS: i64 = 30_000;
/// What a settle puts an entry off by.
pub const BACKOFF_MS: i64 = 5_000;
/// Workers a process has, and how many of them one lane may take while another is due.
const WORKERS: usize = 3;
const SHARE: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Waiting,
    Filed,
    Attention,
    Withdrawn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    Withdraw,
    Retry,
    Move(usize),
}

/// What an act came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acted {
    Done,
    Wished,
    Refused,
}

/// How an attempt ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done(u32),
    Refused,
    Doubt,
    Released,
}

/// A claim: which process, which entry; its place in the list is its fence.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    pub process: usize,
    pub entry: usize,
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub lane: usize,
    pub state: State,
    pub due: bool,
    pub not_before: Option<i64>,
    /// The claim that holds it, and until when.
    pub held: Option<(usize, i64)>,
    /// Sent without an answer.
    pub sent: bool,
    pub wish: Option<Wish>,
    pub receipt: Option<u32>,
    pub sighting: Option<u32>,
}

impl Entry {
    fn exists(&self) -> bool {
        self.receipt.is_some() || self.sighting.is_some()
    }

    fn wake(&mut self) {
        if self.held.is_none() && self.state != State::Filed {
            (self.state, self.due, self.not_before) = (State::Waiting, true, None);
        }
    }

    fn retry(&mut self) {
        (self.state, self.due, self.not_before) = (State::Waiting, true, None);
        (self.held, self.wish) = (None, None);
    }

    fn withdraw(&mut self) {
        (self.state, self.held, self.wish) = (State::Withdrawn, None, None);
    }

    fn move_to(&mut self, lane: usize) {
        self.retry();
        (self.lane, self.sent) = (lane, false);
    }

    /// Honours a wish at the end of an attempt.
    fn honour(&mut self) {
        match self.wish {
            None => {}
            Some(Wish::Retry) => self.retry(),
            Some(_) if self.exists() => self.wish = None,
            Some(_) if self.sent => {}
            Some(Wish::Withdraw) => self.withdraw(),
            Some(Wish::Move(lane)) => self.move_to(lane),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Reference {
    pub now: i64,
    pub entries: Vec<Entry>,
    pub claims: Vec<Claim>,
    /// When each lane was last served.
    served: Vec<usize>,
    acts: usize,
}

impl Reference {
    pub fn new(lanes: usize) -> Self {
        Self { now: 0, entries: Vec::new(), claims: Vec::new(), served: vec![0; lanes], acts: 0 }
    }

    pub fn file(&mut self, lane: usize) {
        self.entries.push(Entry {
            lane,
            state: State::Waiting,
            due: true,
            not_before: None,
            held: None,
            sent: false,
            wish: None,
            receipt: None,
            sighting: None,
        });
    }

    fn is_live(&self, entry: &Entry) -> bool {
        entry.held.is_some_and(|(_, until)| until > self.now)
    }

    /// Claims for a process; returns which entry.
    pub fn claim(&mut self, process: usize) -> Option<usize> {
        let now = self.now;
        for entry in self.entries.iter_mut().filter(|entry| entry.state == State::Waiting) {
            if entry.not_before.is_some_and(|at| at <= now) {
                (entry.due, entry.not_before) = (true, None);
            }
        }
        let mut lanes: Vec<usize> = (0..self.served.len()).collect();
        lanes.sort_by_key(|lane| (self.served[*lane], *lane));
        let mut fallback = None;
        for lane in lanes {
            let is_due = |entry: &Entry| {
                entry.lane == lane
                    && entry.state == State::Waiting
                    && if entry.held.is_some() { !self.is_live(entry) } else { entry.due }
            };
            let Some(oldest) = self.entries.iter().position(is_due) else { continue };
            let is_mine = |entry: &&Entry| {
                let holder = entry.held.map(|(claim, _)| self.claims[claim].process);
                entry.lane == lane && self.is_live(entry) && holder == Some(process)
            };
            let mine = self.entries.iter().filter(is_mine).count();
            if mine < SHARE {
                return Some(self.take(process, oldest));
            }
            if mine < WORKERS && fallback.is_none() {
                fallback = Some(oldest);
            }
        }
        fallback.map(|oldest| self.take(process, oldest))
    }

    fn take(&mut self, process: usize, entry: usize) -> usize {
        self.claims.push(Claim { process, entry });
        self.acts += 1;
        self.served[self.entries[entry].lane] = self.acts;
        self.entries[entry].held = Some((self.claims.len() - 1, self.now + LEASE_MS));
        entry
    }

    fn held(&mut self, claim: usize) -> Option<&mut Entry> {
        let entry = &mut self.entries[self.claims[claim].entry];
        entry.held.is_some_and(|(holder, _)| holder == claim).then_some(entry)
    }

    /// Whether a renewal holds.
    pub fn renew(&mut self, claim: usize) -> bool {
        let now = self.now;
        let Some(entry) = self.held(claim) else { return false };
        let lives = entry.held.is_some_and(|(_, until)| until > now);
        if lives {
            entry.held = Some((claim, now + LEASE_MS));
        }
        lives
    }

    /// Whether an intent holds the lease, and whether it is noted.
    pub fn intend(&mut self, claim: usize) -> Option<bool> {
        let now = self.now;
        let entry = self.held(claim)?;
        if entry.held.is_none_or(|(_, until)| until <= now) {
            return None;
        }
        let stands_aside = !matches!(entry.wish, None | Some(Wish::Retry)) && entry.receipt.is_none();
        let noted = !stands_aside && entry.sighting.is_none() && !entry.sent && entry.receipt.is_none();
        entry.sent |= noted;
        Some(noted)
    }

    /// Whether a settle holds.
    pub fn settle(&mut self, claim: usize, end: End) -> bool {
        let now = self.now;
        let Some(entry) = self.held(claim) else { return false };
        entry.held = None;
        match end {
            End::Done(number) => {
                (entry.state, entry.sent, entry.wish) = (State::Filed, false, None);
                (entry.due, entry.not_before) = (true, None);
                entry.receipt.get_or_insert(number);
                return true;
            }
            End::Refused => (entry.state, entry.sent) = (State::Attention, false),
            End::Doubt => (entry.due, entry.not_before) = (false, Some(now + BACKOFF_MS)),
            End::Released => {}
        }
        if entry.receipt.is_none() && entry.sighting.is_some() {
            entry.wake();
        }
        entry.honour();
        true
    }

    pub fn sight(&mut self, entry: usize, number: u32) {
        let entry = &mut self.entries[entry];
        entry.sighting.get_or_insert(number);
        if entry.receipt.is_none() {
            entry.wake();
        }
    }

    pub fn act(&mut self, entry: usize, wish: Wish) -> Acted {
        let live = self.is_live(&self.entries[entry]);
        let entry = &mut self.entries[entry];
        if matches!(entry.state, State::Filed | State::Withdrawn) {
            return Acted::Refused;
        }
        if wish == Wish::Retry {
            if live {
                entry.wish = Some(wish);
                entry.wake();
                return Acted::Wished;
            }
            entry.retry();
            return Acted::Done;
        }
        if entry.exists() {
            return Acted::Refused;
        }
        if live || entry.sent {
            entry.wish = Some(wish);
            entry.wake();
            return Acted::Wished;
        }
        match wish {
            Wish::Move(lane) => entry.move_to(lane),
            _ => entry.withdraw(),
        }
        Acted::Done
    }

    pub fn restore(&mut self, entry: usize) -> Acted {
        let entry = &mut self.entries[entry];
        if entry.state != State::Withdrawn {
            return Acted::Refused;
        }
        entry.retry();
        Acted::Done
    }
}
