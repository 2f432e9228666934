-- What some trackers have to be told: where pictures go that have no other place, and whether a key is recognised.

-- A branch of the project that takes pictures where the token may upload them nowhere else (GitHub).
ALTER TABLE destination ADD COLUMN branch TEXT CHECK (branch <> '');

-- Whether the receiver of a webhook recognises an Idempotency-Key that it has seen: then a doubt is sent again.
ALTER TABLE destination ADD COLUMN honours_key INTEGER NOT NULL DEFAULT 0 CHECK (honours_key IN (0, 1));
