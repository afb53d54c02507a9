-- Money on its way out: withdrawals and the payment of third-party bills.

CREATE TABLE payouts (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT NOT NULL CHECK (length(id) = 26),
    kind TEXT NOT NULL CHECK (kind IN ('withdrawal', 'bill')),
    origin TEXT NOT NULL CHECK (origin = 'api' OR origin = 'agent' OR origin = 'dashboard' OR origin = 'page'),
    amount INTEGER NOT NULL CHECK (amount > 0),
    net_amount INTEGER NOT NULL CHECK (net_amount > 0 AND net_amount <= amount),
    fee INTEGER NOT NULL CHECK (fee >= 0),
    -- Of a withdrawal.
    pix_key TEXT,
    pix_key_kind TEXT CHECK (pix_key_kind = 'CPF' OR pix_key_kind = 'CNPJ' OR pix_key_kind = 'PHONE' OR pix_key_kind = 'EMAIL' OR pix_key_kind = 'EVP'),
    beneficiary_name TEXT,
    description TEXT,
    -- Whom the key belonged to.
    payee_document TEXT,
    payee_name TEXT,
    -- Of a bill's payment.
    quote TEXT CHECK (length(quote) = 26),
    barcode TEXT CHECK (length(barcode) = 44),
    external_id TEXT,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status = 'pending' OR status = 'paid' OR status = 'failed'),
    ended_at INTEGER,
    authentication TEXT,
    failure_reason TEXT,
    -- How far the worker is; due_at is real time, and while a worker has it the end of its lease.
    phase TEXT NOT NULL CHECK (phase = 'unsent' OR phase = 'sending' OR phase = 'sent' OR phase = 'over'),
    tries INTEGER NOT NULL CHECK (tries >= 0),
    due_at INTEGER NOT NULL,
    PRIMARY KEY (account, environment, id),
    CHECK ((kind = 'withdrawal') = (pix_key IS NOT NULL)),
    CHECK ((pix_key IS NULL) = (pix_key_kind IS NULL)),
    CHECK ((pix_key IS NULL) = (payee_document IS NULL)),
    CHECK (kind = 'withdrawal' OR (beneficiary_name IS NULL AND description IS NULL AND payee_name IS NULL)),
    CHECK ((kind = 'bill') = (quote IS NOT NULL)),
    CHECK ((quote IS NULL) = (barcode IS NULL) AND (quote IS NULL) = (external_id IS NULL)),
    CHECK ((status = 'pending') = (ended_at IS NULL)),
    CHECK ((status = 'paid') = (authentication IS NOT NULL)),
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
    CHECK ((status = 'pending') = (phase <> 'over'))
) STRICT;
-- An operator knows a payout by its id alone.
CREATE UNIQUE INDEX payouts_by_id ON payouts (id);
-- The worker asks for what is due, whoever it belongs to.
CREATE INDEX payouts_due ON payouts (due_at, id) WHERE status = 'pending';
-- What counts for the limit of a day, and what may be a withdrawal made twice by mistake.
CREATE INDEX payouts_withdrawn ON payouts (account, environment, created_at, amount)
    WHERE kind = 'withdrawal' AND status <> 'failed';
-- What lists show, as for charges.
CREATE INDEX payouts_listed ON payouts (account, environment, id) WHERE origin IN ('api', 'agent');

-- What a third-party bill costs, locked for a few minutes.
CREATE TABLE quotes (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT NOT NULL CHECK (length(id) = 26),
    barcode TEXT NOT NULL CHECK (length(barcode) = 44),
    bank TEXT,
    beneficiary TEXT,
    due_date TEXT NOT NULL CHECK (length(due_date) = 10),
    payable INTEGER NOT NULL CHECK (payable IN (0, 1)),
    original INTEGER NOT NULL CHECK (original >= 0),
    interest INTEGER NOT NULL CHECK (interest >= 0),
    fine INTEGER NOT NULL CHECK (fine >= 0),
    discount INTEGER NOT NULL CHECK (discount >= 0),
    rebate INTEGER NOT NULL CHECK (rebate >= 0),
    total INTEGER NOT NULL CHECK (total >= 0),
    provider_fee INTEGER NOT NULL CHECK (provider_fee >= 0),
    service_fee INTEGER NOT NULL CHECK (service_fee >= 0),
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, environment, id)
) STRICT, WITHOUT ROWID;

-- Which payment paid a bill, or is paying it: one of an owner's at a time. It is let go when the payment fails.
CREATE TABLE bill_titles (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    barcode TEXT NOT NULL CHECK (length(barcode) = 44),
    payout TEXT NOT NULL CHECK (length(payout) = 26),
    PRIMARY KEY (account, environment, barcode)
) STRICT, WITHOUT ROWID;
