-- Filled and emptied to find out whether the disk has room again; compressed it would need none.
ALTER TABLE readiness ADD COLUMN filling BYTEA NOT NULL DEFAULT '';
ALTER TABLE readiness ALTER COLUMN filling SET STORAGE EXTERNAL;
