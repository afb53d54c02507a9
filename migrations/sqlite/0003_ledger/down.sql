DROP TABLE ledger_entries;
DROP TABLE heads;
