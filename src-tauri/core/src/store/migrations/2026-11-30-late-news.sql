-- What comes late: a wish after the issue was there, a second issue under one key, a person's word on a doubt.

-- What became of a wish that came too late; stays when the entry is filed.
ALTER TABLE entry ADD COLUMN told TEXT;

-- The person said of a stage in doubt that it is not there. It is sent again once nothing can arrive any more.
ALTER TABLE stage ADD COLUMN send_again INTEGER NOT NULL DEFAULT 0 CHECK (send_again IN (0, 1));

-- An edit that came while a worker had the entry, or while it was in doubt: honoured at the next safe moment.
CREATE TABLE edit (
  entry INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
  title TEXT NOT NULL CHECK (title <> ''),
  body TEXT NOT NULL,
  labels TEXT NOT NULL CHECK (json_valid(labels))
) STRICT;

-- Why the app cannot serve the lane: it has no token for it, in words. Another process may have one.
ALTER TABLE lane ADD COLUMN no_token TEXT;

-- One look that is still owed after a create was sent twice: has the first one arrived after all?
CREATE TABLE late_look (
  entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
  destination INTEGER NOT NULL REFERENCES lane (destination),
  login TEXT,
  since_ms INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
  due_ms INTEGER NOT NULL,
  due_boot_id TEXT NOT NULL,
  due_wall_ms INTEGER NOT NULL,
  PRIMARY KEY (entry, destination)
) STRICT, WITHOUT ROWID;
CREATE INDEX late_look_due ON late_look (due_ms);
