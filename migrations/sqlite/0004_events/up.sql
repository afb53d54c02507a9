-- What merchants are told (the outbox), and what became of telling them.

-- Written in the transaction of the state change; the body is what is signed and sent, byte for byte.
CREATE TABLE events (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    sequence INTEGER NOT NULL CHECK (sequence > 0),
    id TEXT NOT NULL CHECK (length(id) = 26),
    kind TEXT NOT NULL,
    object TEXT NOT NULL CHECK (length(object) = 26),
    body TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (account, environment, sequence)
) STRICT;
CREATE UNIQUE INDEX events_by_id ON events (account, environment, id);
CREATE INDEX events_by_object ON events (account, environment, object, sequence);

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

-- Where events go: at most one address per account and environment.
CREATE TABLE endpoints (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    url TEXT NOT NULL,
    sealed_secret BLOB NOT NULL,
    -- The secret before the last roll, and until when it signs too.
    previous_secret BLOB,
    previous_until INTEGER,
    disabled_at INTEGER,
    disabled_because TEXT,
    failing_since INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, environment),
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((disabled_at IS NULL) = (disabled_because IS NULL))
) STRICT, WITHOUT ROWID;

-- An event on its way. A lease says which server sends it now.
CREATE TABLE deliveries (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    event TEXT NOT NULL CHECK (length(event) = 26),
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'failed'),
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    tries INTEGER NOT NULL CHECK (tries >= 0),
    due_at INTEGER NOT NULL,
    leased_by TEXT,
    leased_until INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, environment, event),
    CHECK ((leased_by IS NULL) = (leased_until IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (account, environment, due_at, event) WHERE state = 'pending';
CREATE INDEX deliveries_failed ON deliveries (account, environment, event) WHERE state = 'failed';

-- The delivery log, kept for a while.
CREATE TABLE attempts (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    event TEXT NOT NULL CHECK (length(event) = 26),
    number INTEGER NOT NULL CHECK (number > 0),
    started_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    status INTEGER,
    error TEXT,
    answer TEXT NOT NULL,
    PRIMARY KEY (account, environment, event, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_by_start ON attempts (account, environment, started_at);
-- Old attempts are forgotten whoever they belong to.
CREATE INDEX attempts_to_forget ON attempts (started_at);
