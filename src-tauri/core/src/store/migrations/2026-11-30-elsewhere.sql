-- What is known on another computer too.

-- Since when a draft that came in an archive, or went into one, may have been filed under its key somewhere else. Filed
-- here, it is looked for first.
ALTER TABLE draft ADD COLUMN elsewhere_since_ms INTEGER;
