-- The double-entry ledger of each account and environment.

-- What every movement of an owner touches: locked last, read and written once per unit of work.
CREATE TABLE heads (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    balance BIGINT NOT NULL,
    available BIGINT NOT NULL CHECK (available >= 0),
    event_sequence BIGINT NOT NULL,
    ledger_sequence BIGINT NOT NULL,
    ledger_hash BYTEA NOT NULL CHECK (length(ledger_hash) = 32),
    PRIMARY KEY (account, environment)
) WITH (fillfactor = 20); -- Small rows that change with every payment: new versions stay on the same page.

-- One row is one balanced set of postings: a column for each account of the ledger.
CREATE TABLE ledger_entries (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    sequence BIGINT NOT NULL CHECK (sequence > 0),
    id TEXT COLLATE "C" NOT NULL CHECK (length(id) = 26),
    kind TEXT NOT NULL,
    reference TEXT COLLATE "C" NOT NULL CHECK (length(reference) = 26),
    available BIGINT NOT NULL,
    fees BIGINT NOT NULL,
    clearing BIGINT NOT NULL,
    returns BIGINT NOT NULL,
    play_money BIGINT NOT NULL,
    outgoing BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (account, environment, sequence),
    CHECK (available + fees + clearing + returns + play_money + outgoing = 0)
);
CREATE INDEX ledger_entries_by_reference ON ledger_entries (account, environment, reference, sequence);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% are append-only', replace(TG_TABLE_NAME, '_', ' ');
END
$$;
CREATE TRIGGER ledger_entries_are_never_changed BEFORE UPDATE OR DELETE ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entries_are_never_emptied BEFORE TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
