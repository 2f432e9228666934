-- The first rows. Words as in ARCHITECTURE.md; every table states its own truth.

-- One row about the store itself. Fences come from here, so they rise across entries and processes.
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  store_id TEXT NOT NULL,
  machine_id TEXT NOT NULL,
  generation INTEGER NOT NULL CHECK (generation >= 1),
  min_writer INTEGER NOT NULL,
  fence INTEGER NOT NULL CHECK (fence >= 0),
  live_entries INTEGER NOT NULL CHECK (live_entries >= 0),
  live_bytes INTEGER NOT NULL CHECK (live_bytes >= 0),
  paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  paused_until_ms INTEGER CHECK (paused_until_ms IS NULL OR paused = 1)
) STRICT;

CREATE TABLE setting (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Who has the store open. The lock file beside the store proves life; this row says which leases die with it.
CREATE TABLE presence (
  id TEXT PRIMARY KEY,
  pid INTEGER NOT NULL,
  boot_id TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE destination (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (name <> ''),
  tracker TEXT NOT NULL,
  url TEXT,
  project TEXT,
  path TEXT,
  is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
  added_at_ms INTEGER NOT NULL,
  removed_at_ms INTEGER,
  CHECK ((tracker = 'folder') = (path IS NOT NULL)),
  CHECK ((tracker = 'folder') = (url IS NULL))
) STRICT;
CREATE UNIQUE INDEX destination_name ON destination (name COLLATE NOCASE) WHERE removed_at_ms IS NULL;

-- The line of entries for one destination.
CREATE TABLE lane (
  destination INTEGER PRIMARY KEY REFERENCES destination (id),
  served INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting >= 0),
  -- What holds the lane as a whole. A sign-in has no end of its own.
  held TEXT CHECK (held IN ('sign_in', 'rate_limit', 'trouble')),
  held_words TEXT,
  held_until_ms INTEGER,
  held_boot_id TEXT,
  held_until_wall_ms INTEGER,
  paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  paused_until_ms INTEGER CHECK (paused_until_ms IS NULL OR paused = 1),
  -- Whether its last end was "nothing sent", and for how many ends in a row something was wrong.
  unreachable INTEGER NOT NULL DEFAULT 0 CHECK (unreachable IN (0, 1)),
  streak INTEGER NOT NULL DEFAULT 0 CHECK (streak >= 0),
  login TEXT,
  credential_rev INTEGER NOT NULL DEFAULT 0,
  credential_mark TEXT,
  CHECK ((held IS NULL) = (held_words IS NULL)),
  CHECK (COALESCE(held IN ('rate_limit', 'trouble'), 0) = (held_until_ms IS NOT NULL)),
  CHECK ((held_until_ms IS NULL) = (held_boot_id IS NULL)),
  CHECK ((held_until_ms IS NULL) = (held_until_wall_ms IS NULL))
) STRICT;
CREATE INDEX lane_order ON lane (served, destination) WHERE waiting > 0;

CREATE TABLE draft (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL DEFAULT 1,
  destination INTEGER REFERENCES destination (id),
  title TEXT NOT NULL DEFAULT '',
  body TEXT NOT NULL DEFAULT '',
  labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),
  edited_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE entry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  draft INTEGER NOT NULL,
  draft_revision INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  destination INTEGER NOT NULL REFERENCES lane (destination),
  title TEXT NOT NULL CHECK (title <> ''),
  body TEXT NOT NULL,
  labels TEXT NOT NULL CHECK (json_valid(labels)),
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  revision INTEGER NOT NULL DEFAULT 1,
  body_hash TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'filed', 'attention', 'withdrawn')),
  saved_at_ms INTEGER NOT NULL,
  filed_at_ms INTEGER,
  changed_at_ms INTEGER NOT NULL,
  -- 0 while a gate below is shut; a claim opens the gates whose time has come.
  due INTEGER NOT NULL DEFAULT 1 CHECK (due IN (0, 1)),
  send_at_ms INTEGER,
  not_before_ms INTEGER,
  not_before_boot_id TEXT,
  not_before_wall_ms INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  budget_used INTEGER NOT NULL DEFAULT 0 CHECK (budget_used >= 0),
  trying_since_ms INTEGER,
  trying_boot_id TEXT,
  crashes INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  words TEXT,
  wish TEXT CHECK (wish IN ('withdraw', 'retry', 'move')),
  wish_destination INTEGER REFERENCES lane (destination),
  receipt INTEGER REFERENCES receipt (id),
  fence INTEGER NOT NULL DEFAULT 0,
  claim_token TEXT,
  lease_owner TEXT,
  lease_until_ms INTEGER,
  lease_boot_id TEXT,
  UNIQUE (draft, draft_revision),
  -- Leased means all of it, and only what waits can be leased.
  CHECK ((claim_token IS NULL) = (lease_owner IS NULL)),
  CHECK ((claim_token IS NULL) = (lease_until_ms IS NULL)),
  CHECK ((claim_token IS NULL) = (lease_boot_id IS NULL)),
  CHECK (claim_token IS NULL OR (state = 'waiting' AND fence > 0)),
  CHECK (state <> 'filed' OR (receipt IS NOT NULL AND filed_at_ms IS NOT NULL)),
  CHECK (state <> 'attention' OR (reason IS NOT NULL AND words IS NOT NULL)),
  CHECK ((trying_since_ms IS NULL) = (trying_boot_id IS NULL)),
  CHECK ((not_before_ms IS NULL) = (not_before_boot_id IS NULL)),
  CHECK ((not_before_ms IS NULL) = (not_before_wall_ms IS NULL)),
  CHECK (COALESCE(wish = 'move', 0) = (wish_destination IS NOT NULL))
) STRICT;
CREATE INDEX entry_ready ON entry (destination, id) WHERE state = 'waiting' AND due = 1 AND claim_token IS NULL;
CREATE INDEX entry_gated ON entry (not_before_ms) WHERE state = 'waiting' AND due = 0 AND not_before_ms IS NOT NULL;
CREATE INDEX entry_later ON entry (send_at_ms) WHERE state = 'waiting' AND due = 0 AND send_at_ms IS NOT NULL;
CREATE INDEX entry_leased ON entry (lease_owner) WHERE claim_token IS NOT NULL;
CREATE INDEX entry_state ON entry (state, id);
CREATE INDEX entry_destination ON entry (destination, state);

CREATE TRIGGER entry_key_is_frozen BEFORE UPDATE OF key ON entry WHEN NEW.key <> OLD.key
BEGIN SELECT RAISE(ABORT, 'KeyFrozen'); END;
CREATE TRIGGER draft_key_is_frozen BEFORE UPDATE OF key ON draft WHEN NEW.key <> OLD.key
BEGIN SELECT RAISE(ABORT, 'KeyFrozen'); END;
CREATE TRIGGER entry_fence_rises BEFORE UPDATE OF fence ON entry WHEN NEW.fence < OLD.fence
BEGIN SELECT RAISE(ABORT, 'FenceRises'); END;
CREATE TRIGGER entry_filed_is_final BEFORE UPDATE OF state ON entry WHEN OLD.state = 'filed' AND NEW.state <> 'filed'
BEGIN SELECT RAISE(ABORT, 'SettleOnce'); END;

-- What is live (to be filed, or waiting for a person) is counted where it changes, so that bounds cost nothing to ask.
CREATE TRIGGER entry_counts_in AFTER INSERT ON entry WHEN NEW.state IN ('waiting', 'attention')
BEGIN
  UPDATE meta SET live_entries = live_entries + 1, live_bytes = live_bytes + NEW.bytes;
  UPDATE lane SET waiting = waiting + (NEW.state = 'waiting') WHERE destination = NEW.destination;
END;
CREATE TRIGGER entry_counts_on AFTER UPDATE OF state, destination, bytes ON entry
WHEN NEW.state <> OLD.state OR NEW.destination <> OLD.destination OR NEW.bytes <> OLD.bytes
BEGIN
  UPDATE meta SET
    live_entries = live_entries + (NEW.state IN ('waiting', 'attention')) - (OLD.state IN ('waiting', 'attention')),
    live_bytes = live_bytes + NEW.bytes * (NEW.state IN ('waiting', 'attention'))
                            - OLD.bytes * (OLD.state IN ('waiting', 'attention'));
  UPDATE lane SET waiting = waiting - 1 WHERE destination = OLD.destination AND OLD.state = 'waiting';
  UPDATE lane SET waiting = waiting + 1 WHERE destination = NEW.destination AND NEW.state = 'waiting';
END;
CREATE TRIGGER entry_counts_out AFTER DELETE ON entry WHEN OLD.state IN ('waiting', 'attention')
BEGIN
  UPDATE meta SET live_entries = live_entries - 1, live_bytes = live_bytes - OLD.bytes;
  UPDATE lane SET waiting = waiting - (OLD.state = 'waiting') WHERE destination = OLD.destination;
END;

-- A picture or file, copied beside the store before its row. It belongs to a draft until that is filed.
CREATE TABLE attachment (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  draft INTEGER REFERENCES draft (id) ON DELETE CASCADE,
  entry INTEGER REFERENCES entry (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  media_type TEXT NOT NULL,
  size INTEGER NOT NULL CHECK (size > 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  file TEXT NOT NULL UNIQUE,
  width INTEGER,
  height INTEGER,
  removed_at_ms INTEGER,
  erased_at_ms INTEGER,
  CHECK ((draft IS NULL) <> (entry IS NULL)),
  CHECK ((width IS NULL) = (height IS NULL))
) STRICT;
CREATE INDEX attachment_draft ON attachment (draft) WHERE draft IS NOT NULL;
CREATE INDEX attachment_entry ON attachment (entry) WHERE entry IS NOT NULL;

-- One network step of filing. The intent stands on it: about to send, by whom, as whom, to where.
CREATE TABLE stage (
  entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('create', 'upload', 'embed')),
  attachment INTEGER REFERENCES attachment (id),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'sent', 'done', 'doubt')),
  attempt INTEGER,
  sender TEXT,
  sent_destination INTEGER,
  sent_login TEXT,
  sent_at_ms INTEGER,
  sent_boot_id TEXT,
  first_sent_at_ms INTEGER,
  sends INTEGER NOT NULL DEFAULT 0,
  remote_ref TEXT,
  done_at_ms INTEGER,
  PRIMARY KEY (entry, ordinal),
  CHECK ((kind = 'upload') = (attachment IS NOT NULL)),
  CHECK (state NOT IN ('sent', 'doubt') OR (attempt IS NOT NULL AND sender IS NOT NULL AND sent_destination IS NOT NULL
    AND sent_at_ms IS NOT NULL AND sent_boot_id IS NOT NULL AND first_sent_at_ms IS NOT NULL)),
  CHECK ((state = 'done') = (done_at_ms IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- The sender of an intent is gone: its connection is closed, or its process is. Only ever added to.
CREATE TABLE close (
  entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  how TEXT NOT NULL CHECK (how IN ('answered', 'broken', 'cancelled', 'died')),
  gone_at_ms INTEGER NOT NULL,
  gone_awake_ms INTEGER NOT NULL,
  gone_boot_id TEXT NOT NULL,
  PRIMARY KEY (entry, ordinal, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempt (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  number INTEGER,
  fence INTEGER NOT NULL UNIQUE,
  started_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  stage INTEGER,
  outcome TEXT CHECK (outcome IN ('filed', 'released', 'not_sent', 'refused', 'sign_in', 'rate_limit', 'doubt', 'looked',
    'local', 'lost', 'died', 'panicked')),
  words TEXT,
  CHECK ((ended_at_ms IS NULL) = (outcome IS NULL))
) STRICT;
CREATE INDEX attempt_entry ON attempt (entry, id);

-- "This issue exists." Whoever learns it may say so, lease or no lease. Only ever added to.
CREATE TABLE sighting (
  entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  destination INTEGER NOT NULL,
  number TEXT NOT NULL,
  url TEXT NOT NULL,
  seen_by TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (entry, destination, number)
) STRICT, WITHOUT ROWID;

-- One issue per key: the second lock on the door.
CREATE TABLE receipt (
  id INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL UNIQUE REFERENCES entry (id) ON DELETE CASCADE,
  key TEXT NOT NULL UNIQUE,
  destination INTEGER NOT NULL,
  number TEXT NOT NULL,
  url TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
