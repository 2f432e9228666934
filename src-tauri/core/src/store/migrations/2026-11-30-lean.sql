-- A delivery writes few pages: what a worker changes lies apart from the words that travel, and no number or index is kept
-- twice.

-- An attempt is known by the fence it was claimed under.
CREATE TABLE lean_attempt (
  entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  fence INTEGER NOT NULL CHECK (fence > 0),
  number INTEGER,
  started_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  stage INTEGER,
  outcome TEXT CHECK (outcome IN ('filed', 'released', 'not_sent', 'refused', 'sign_in', 'rate_limit', 'doubt', 'looked',
    'local', 'lost', 'died', 'panicked')),
  words TEXT,
  PRIMARY KEY (entry, fence),
  CHECK ((ended_at_ms IS NULL) = (outcome IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO lean_attempt (entry, fence, number, started_at_ms, ended_at_ms, stage, outcome, words)
  SELECT entry, fence, number, started_at_ms, ended_at_ms, stage, outcome, words FROM attempt;
-- A negative one names a generation; one whose row is not there any more is nobody's that could be asked, like those.
UPDATE stage SET attempt = coalesce((SELECT fence FROM attempt WHERE attempt.id = stage.attempt), -1000000000000 - attempt)
  WHERE attempt > 0;
-- In two steps, since an old number may be another's new one.
UPDATE close SET attempt = -1000000000000 - attempt WHERE attempt > 0;
UPDATE close SET attempt = coalesce((SELECT fence FROM attempt WHERE attempt.id = -1000000000000 - close.attempt), attempt)
  WHERE attempt <= -1000000000000;
DROP TABLE attempt;
ALTER TABLE lean_attempt RENAME TO attempt;

-- One issue per key, and one receipt per entry.
CREATE TABLE lean_receipt (
  entry INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
  key TEXT NOT NULL UNIQUE,
  destination INTEGER NOT NULL,
  number TEXT NOT NULL,
  url TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO lean_receipt (entry, key, destination, number, url, at_ms)
  SELECT entry, key, destination, number, url, at_ms FROM receipt;
UPDATE entry SET receipt = id WHERE receipt IS NOT NULL;
DROP TABLE receipt;
ALTER TABLE lean_receipt RENAME TO receipt;

-- What somebody wrote. It may be long; an entry is written anew at each claim, renewal, intent and settle.
CREATE TABLE body (
  entry INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
  text TEXT NOT NULL
) STRICT;
INSERT INTO body (entry, text) SELECT id, body FROM entry;

-- Numbers are never used again: the last one is kept beside the counts.
ALTER TABLE meta ADD COLUMN last_entry INTEGER NOT NULL DEFAULT 0 CHECK (last_entry >= 0);
UPDATE meta SET last_entry = max(
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entry'), 0), coalesce((SELECT max(id) FROM entry), 0));
-- A program from before knows neither table: it must not write any more.
UPDATE meta SET min_writer = 2;

CREATE TABLE lean_entry (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  -- What it was made of, unless it came whole.
  draft INTEGER,
  draft_revision INTEGER,
  generation INTEGER NOT NULL,
  destination INTEGER NOT NULL REFERENCES lane (destination),
  title TEXT NOT NULL CHECK (title <> ''),
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
  -- What became of a wish that came too late; stays when the entry is filed.
  told TEXT,
  receipt INTEGER REFERENCES receipt (entry),
  fence INTEGER NOT NULL DEFAULT 0,
  claim_token TEXT,
  lease_owner TEXT,
  lease_until_ms INTEGER,
  lease_boot_id TEXT,
  CHECK ((draft IS NULL) = (draft_revision IS NULL)),
  -- Leased means all of it, and only what waits can be leased.
  CHECK ((claim_token IS NULL) = (lease_owner IS NULL)),
  CHECK ((claim_token IS NULL) = (lease_until_ms IS NULL)),
  CHECK ((claim_token IS NULL) = (lease_boot_id IS NULL)),
  CHECK (claim_token IS NULL OR (state = 'waiting' AND fence > 0)),
  CHECK (receipt IS NULL OR receipt = id),
  CHECK (state <> 'filed' OR (receipt IS NOT NULL AND filed_at_ms IS NOT NULL)),
  CHECK (state <> 'attention' OR (reason IS NOT NULL AND words IS NOT NULL)),
  CHECK ((trying_since_ms IS NULL) = (trying_boot_id IS NULL)),
  CHECK ((not_before_ms IS NULL) = (not_before_boot_id IS NULL)),
  CHECK ((not_before_ms IS NULL) = (not_before_wall_ms IS NULL)),
  CHECK (COALESCE(wish = 'move', 0) = (wish_destination IS NOT NULL))
) STRICT;
INSERT INTO lean_entry (id, key, draft, draft_revision, generation, destination, title, labels, bytes, revision, body_hash,
    state, saved_at_ms, filed_at_ms, changed_at_ms, due, send_at_ms, not_before_ms, not_before_boot_id, not_before_wall_ms,
    attempts, budget_used, trying_since_ms, trying_boot_id, crashes, reason, words, wish, wish_destination, told, receipt,
    fence, claim_token, lease_owner, lease_until_ms, lease_boot_id)
  SELECT id, key, draft, draft_revision, generation, destination, title, labels, bytes, revision, body_hash,
    state, saved_at_ms, filed_at_ms, changed_at_ms, due, send_at_ms, not_before_ms, not_before_boot_id, not_before_wall_ms,
    attempts, budget_used, trying_since_ms, trying_boot_id, crashes, reason, words, wish, wish_destination, told, receipt,
    fence, claim_token, lease_owner, lease_until_ms, lease_boot_id
  FROM entry;
-- Its indexes and triggers go with it, and are written anew below.
DROP TABLE entry;
ALTER TABLE lean_entry RENAME TO entry;

CREATE UNIQUE INDEX entry_draft ON entry (draft, draft_revision) WHERE draft IS NOT NULL;
CREATE INDEX entry_ready ON entry (destination, id) WHERE state = 'waiting' AND due = 1 AND claim_token IS NULL;
CREATE INDEX entry_gated ON entry (not_before_ms) WHERE state = 'waiting' AND due = 0 AND not_before_ms IS NOT NULL;
CREATE INDEX entry_later ON entry (send_at_ms) WHERE state = 'waiting' AND due = 0 AND send_at_ms IS NOT NULL;
CREATE INDEX entry_leased ON entry (lease_owner) WHERE claim_token IS NOT NULL;
CREATE INDEX entry_state ON entry (state, id);
CREATE INDEX lane_signed_out ON lane (destination) WHERE waiting > 0 AND held = 'sign_in';

CREATE TRIGGER entry_key_is_frozen BEFORE UPDATE OF key ON entry WHEN NEW.key <> OLD.key
BEGIN SELECT RAISE(ABORT, 'KeyFrozen'); END;
CREATE TRIGGER entry_fence_rises BEFORE UPDATE OF fence ON entry WHEN NEW.fence < OLD.fence
BEGIN SELECT RAISE(ABORT, 'FenceRises'); END;
CREATE TRIGGER entry_filed_is_final BEFORE UPDATE OF state ON entry WHEN OLD.state = 'filed' AND NEW.state <> 'filed'
BEGIN SELECT RAISE(ABORT, 'SettleOnce'); END;

-- What is live (to be filed, or waiting for a person) is counted where it changes, so that bounds cost nothing to ask.
CREATE TRIGGER entry_counts_in AFTER INSERT ON entry
BEGIN
  UPDATE meta SET
    last_entry = max(last_entry, NEW.id),
    live_entries = live_entries + (NEW.state IN ('waiting', 'attention')),
    live_bytes = live_bytes + NEW.bytes * (NEW.state IN ('waiting', 'attention'));
  UPDATE lane SET waiting = waiting + 1 WHERE destination = NEW.destination AND NEW.state = 'waiting';
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
