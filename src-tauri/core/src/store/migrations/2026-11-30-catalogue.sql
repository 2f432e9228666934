-- What a destination offers to choose from, and what was chosen.

-- The title of a milestone, and a list of logins; both as they are called there, to be looked up when it is sent.
ALTER TABLE draft ADD COLUMN milestone TEXT CHECK (milestone <> '');
ALTER TABLE draft ADD COLUMN assignees TEXT CHECK (json_valid(assignees));
ALTER TABLE entry ADD COLUMN milestone TEXT CHECK (milestone <> '');
ALTER TABLE entry ADD COLUMN assignees TEXT CHECK (json_valid(assignees));
ALTER TABLE edit ADD COLUMN milestone TEXT CHECK (milestone <> '');
ALTER TABLE edit ADD COLUMN assignees TEXT CHECK (json_valid(assignees));

-- One part of what a destination offers: as it was last read, and why the last try to read it did not work. A part that
-- cannot be read stays as it was.
CREATE TABLE catalogue (
  destination INTEGER NOT NULL REFERENCES destination (id) ON DELETE CASCADE,
  what TEXT NOT NULL CHECK (what IN ('labels', 'milestones', 'assignees', 'templates', 'titles')),
  json TEXT CHECK (json_valid(json)),
  fetched_at_ms INTEGER,
  tried_at_ms INTEGER NOT NULL,
  failure TEXT,
  PRIMARY KEY (destination, what),
  CHECK ((json IS NULL) = (fetched_at_ms IS NULL)),
  CHECK (json IS NOT NULL OR failure IS NOT NULL)
) STRICT;
