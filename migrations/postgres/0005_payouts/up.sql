-- Money on its way out: withdrawals and the payment of third-party bills.

CREATE TABLE payouts (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT COLLATE "C" NOT NULL CHECK (length(id) = 26),
    kind TEXT NOT NULL CHECK (kind IN ('withdrawal', 'bill')),
    origin TEXT NOT NULL CHECK (origin IN ('api', 'agent', 'dashboard', 'page')),
    amount BIGINT NOT NULL CHECK (amount > 0),
    net_amount BIGINT NOT NULL CHECK (net_amount > 0 AND net_amount <= amount),
    fee BIGINT NOT NULL CHECK (fee >= 0),
    -- Of a withdrawal.
    pix_key TEXT COLLATE "C",
    pix_key_kind TEXT CHECK (pix_key_kind IN ('CPF', 'CNPJ', 'PHONE', 'EMAIL', 'EVP')),
    beneficiary_name TEXT,
    description TEXT,
    -- Whom the key belonged to.
    payee_document TEXT COLLATE "C",
    payee_name TEXT,
    -- Of a bill's payment.
    quote TEXT COLLATE "C" CHECK (length(quote) = 26),
    barcode TEXT COLLATE "C" CHECK (length(barcode) = 44),
    external_id TEXT,
    created_at BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'failed')),
    ended_at BIGINT,
    authentication TEXT,
    failure_reason TEXT,
    -- How far the worker is; due_at is real time, and while a worker has it the end of its lease.
    phase TEXT NOT NULL CHECK (phase IN ('unsent', 'sending', 'sent', 'over')),
    tries BIGINT NOT NULL CHECK (tries >= 0),
    due_at BIGINT NOT NULL,
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
) WITH (fillfactor = 80); -- Room for the status and the steps, which change.
-- An operator knows a payout by its id alone.
CREATE UNIQUE INDEX payouts_by_id ON payouts (id text_pattern_ops); -- As for charges, no list is read from it.
-- The worker asks for what is due, whoever it belongs to.
CREATE INDEX payouts_due ON payouts (due_at, id) WHERE status = 'pending';
-- What counts for the limit of a day, and what may be a withdrawal made twice by mistake.
CREATE INDEX payouts_withdrawn ON payouts (account, environment, created_at, amount)
    WHERE kind = 'withdrawal' AND status <> 'failed';
-- What lists show, as for charges.
CREATE INDEX payouts_listed ON payouts (account, environment, id) WHERE origin IN ('api', 'agent');

-- What a third-party bill costs, locked for a few minutes.
CREATE TABLE quotes (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT COLLATE "C" NOT NULL CHECK (length(id) = 26),
    barcode TEXT COLLATE "C" NOT NULL CHECK (length(barcode) = 44),
    bank TEXT,
    beneficiary TEXT,
    due_date TEXT COLLATE "C" NOT NULL CHECK (length(due_date) = 10),
    payable BOOLEAN NOT NULL,
    original BIGINT NOT NULL CHECK (original >= 0),
    interest BIGINT NOT NULL CHECK (interest >= 0),
    fine BIGINT NOT NULL CHECK (fine >= 0),
    discount BIGINT NOT NULL CHECK (discount >= 0),
    rebate BIGINT NOT NULL CHECK (rebate >= 0),
    total BIGINT NOT NULL CHECK (total >= 0),
    provider_fee BIGINT NOT NULL CHECK (provider_fee >= 0),
    service_fee BIGINT NOT NULL CHECK (service_fee >= 0),
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, environment, id)
);

-- Which payment paid a bill, or is paying it: one of an owner's at a time. It is let go when the payment fails.
CREATE TABLE bill_titles (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    barcode TEXT COLLATE "C" NOT NULL CHECK (length(barcode) = 44),
    payout TEXT COLLATE "C" NOT NULL CHECK (length(payout) = 26),
    PRIMARY KEY (account, environment, barcode)
);
