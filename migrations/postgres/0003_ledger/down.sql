DROP TABLE ledger_entries;
DROP TABLE heads;
DROP FUNCTION refuse_change;
