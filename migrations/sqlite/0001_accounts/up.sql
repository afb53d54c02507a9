-- Who uses the service, and what concerns the installation as a whole.
--
-- Everything a merchant owns is keyed by (account, environment) first, so that the tables can be spread by account one day. Identifiers
-- are ULIDs without their prefix; times are Unix milliseconds; money is centavos.
--
-- A CHECK for one of three or more words is written with OR: of IN, SQLite would make a table each time a row is written.

CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 26),
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    document TEXT,
    city TEXT NOT NULL,
    address TEXT,
    merchant_name TEXT,
    suspended_at INTEGER,
    -- Fees agreed with this account: centavos and basis points, both or neither.
    pix_fee_fixed INTEGER,
    pix_fee_points INTEGER,
    checkout_fee_fixed INTEGER,
    checkout_fee_points INTEGER,
    boleto_fee_fixed INTEGER,
    boleto_fee_points INTEGER,
    withdrawal_fee_fixed INTEGER,
    withdrawal_fee_points INTEGER,
    bill_provider_fee_fixed INTEGER,
    bill_provider_fee_points INTEGER,
    bill_service_fee_fixed INTEGER,
    bill_service_fee_points INTEGER,
    -- Limits agreed with this account, centavos.
    limit_per_transaction INTEGER,
    limit_per_withdrawal INTEGER,
    limit_withdrawals_per_day INTEGER,
    -- For how long a second live withdrawal of the same amount to the same key is taken for a mistake.
    duplicate_guard_minutes INTEGER CHECK (duplicate_guard_minutes > 0),
    -- How far its sandbox is ahead of real time.
    clock_offset_ms INTEGER NOT NULL CHECK (clock_offset_ms >= 0),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 26),
    email TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Who signs in is known by the address alone.
CREATE UNIQUE INDEX users_by_email ON users (email);

CREATE TABLE memberships (
    account TEXT NOT NULL REFERENCES accounts (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL CHECK (role IN ('owner')),
    PRIMARY KEY (account, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_user ON memberships (user_id);

CREATE TABLE api_keys (
    account TEXT NOT NULL REFERENCES accounts (id),
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT NOT NULL CHECK (length(id) = 26),
    scopes TEXT NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    -- Test keys only: a live key is shown once and then known by its digest alone.
    encrypted BLOB CHECK (encrypted IS NULL OR environment = 'test'),
    hint TEXT NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, environment, id)
) STRICT, WITHOUT ROWID;
-- A caller shows nothing but the key.
CREATE UNIQUE INDEX api_keys_by_digest ON api_keys (digest);
-- An operator names a key by its id alone.
CREATE UNIQUE INDEX api_keys_by_id ON api_keys (id);

-- Values every server of this database agrees on: whoever comes first keeps one.
CREATE TABLE installation_values (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: moves when something that servers keep in memory was changed.
CREATE TABLE epochs (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL
) STRICT;
INSERT INTO epochs (id, epoch) VALUES (1, 0);

-- One row: written to find out whether the database takes writes.
CREATE TABLE readiness (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    probes INTEGER NOT NULL
) STRICT;
INSERT INTO readiness (id, probes) VALUES (1, 0);

-- What the adapters of payment providers must remember; the version counts the writes.
CREATE TABLE provider_records (
    provider TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    body TEXT NOT NULL,
    PRIMARY KEY (provider, key)
) STRICT, WITHOUT ROWID;
