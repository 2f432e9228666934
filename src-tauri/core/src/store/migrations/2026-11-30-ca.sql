-- Whom a destination is believed to be.

-- A PEM file with certificates that are trusted there besides the computer's own.
ALTER TABLE destination ADD COLUMN ca TEXT CHECK (ca <> '');
