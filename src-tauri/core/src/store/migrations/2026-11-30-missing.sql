-- A file that its tracker does not take keeps no issue from being filed.

-- Of an upload that is settled without the file being there: why, in words. The person may have it tried again.
ALTER TABLE stage ADD COLUMN missing TEXT;
-- A program from before would take such an upload for done.
UPDATE meta SET min_writer = 3;
