-- Filled and emptied to find out whether the disk has room again.
ALTER TABLE readiness ADD COLUMN filling BLOB NOT NULL DEFAULT x'';
