-- The double-entry ledger of each account and environment.

-- What every movement of an owner touches: locked last, read and written once per unit of work.
CREATE TABLE heads (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    balance INTEGER NOT NULL,
    available INTEGER NOT NULL CHECK (available >= 0),
    event_sequence INTEGER NOT NULL,
    ledger_sequence INTEGER NOT NULL,
    ledger_hash BLOB NOT NULL CHECK (length(ledger_hash) = 32),
    PRIMARY KEY (account, environment)
) STRICT, WITHOUT ROWID;

-- One row is one balanced set of postings: a column for each account of the ledger.
CREATE TABLE ledger_entries (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    sequence INTEGER NOT NULL CHECK (sequence > 0),
    id TEXT NOT NULL CHECK (length(id) = 26),
    kind TEXT NOT NULL,
    reference TEXT NOT NULL CHECK (length(reference) = 26),
    available INTEGER NOT NULL,
    fees INTEGER NOT NULL,
    clearing INTEGER NOT NULL,
    returns INTEGER NOT NULL,
    play_money INTEGER NOT NULL,
    outgoing INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (account, environment, sequence),
    CHECK (available + fees + clearing + returns + play_money + outgoing = 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_entries_by_reference ON ledger_entries (account, environment, reference, sequence);

CREATE TRIGGER ledger_entries_are_never_changed BEFORE UPDATE ON ledger_entries
BEGIN
    SELECT RAISE(ABORT, 'ledger entries are append-only');
END;
CREATE TRIGGER ledger_entries_are_never_removed BEFORE DELETE ON ledger_entries
BEGIN
    SELECT RAISE(ABORT, 'ledger entries are append-only');
END;
