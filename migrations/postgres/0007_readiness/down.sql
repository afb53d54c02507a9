ALTER TABLE readiness DROP COLUMN filling;
