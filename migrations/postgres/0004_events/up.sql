-- What merchants are told (the outbox), and what became of telling them.

-- Written in the transaction of the state change; the body is what is signed and sent, byte for byte.
CREATE TABLE events (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    sequence BIGINT NOT NULL CHECK (sequence > 0),
    id TEXT COLLATE "C" NOT NULL CHECK (length(id) = 26),
    kind TEXT NOT NULL,
    object TEXT COLLATE "C" NOT NULL CHECK (length(object) = 26),
    body TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (account, environment, sequence)
);
CREATE UNIQUE INDEX events_by_id ON events (account, environment, id);
CREATE INDEX events_by_object ON events (account, environment, object, sequence);

CREATE TRIGGER events_are_never_changed BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_are_never_emptied BEFORE TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Where events go: at most one address per account and environment.
CREATE TABLE endpoints (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    url TEXT NOT NULL,
    sealed_secret BYTEA NOT NULL,
    -- The secret before the last roll, and until when it signs too.
    previous_secret BYTEA,
    previous_until BIGINT,
    disabled_at BIGINT,
    disabled_because TEXT,
    failing_since BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, environment),
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((disabled_at IS NULL) = (disabled_because IS NULL))
);

-- An event on its way. A lease says which server sends it now.
CREATE TABLE deliveries (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    event TEXT COLLATE "C" NOT NULL CHECK (length(event) = 26),
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts BIGINT NOT NULL CHECK (attempts >= 0),
    tries BIGINT NOT NULL CHECK (tries >= 0),
    due_at BIGINT NOT NULL,
    leased_by TEXT,
    leased_until BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, environment, event),
    CHECK ((leased_by IS NULL) = (leased_until IS NULL))
);
CREATE INDEX deliveries_due ON deliveries (account, environment, due_at, event) WHERE state = 'pending';
CREATE INDEX deliveries_failed ON deliveries (account, environment, event) WHERE state = 'failed';

-- The delivery log, kept for a while.
CREATE TABLE attempts (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    event TEXT COLLATE "C" NOT NULL CHECK (length(event) = 26),
    number BIGINT NOT NULL CHECK (number > 0),
    started_at BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    status BIGINT,
    error TEXT,
    answer TEXT NOT NULL,
    PRIMARY KEY (account, environment, event, number)
);
CREATE INDEX attempts_by_start ON attempts (account, environment, started_at);
-- Old attempts are forgotten whoever they belong to.
CREATE INDEX attempts_to_forget ON attempts (started_at);
