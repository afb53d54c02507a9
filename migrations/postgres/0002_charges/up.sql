-- Charges, the slips of those that are boletos, the payments that arrive for them, and the payments that go back.

CREATE TABLE charges (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT COLLATE "C" NOT NULL CHECK (length(id) = 26),
    kind TEXT NOT NULL CHECK (kind IN ('pix', 'boleto')),
    origin TEXT NOT NULL CHECK (origin IN ('api', 'agent', 'dashboard', 'page')),
    amount BIGINT NOT NULL CHECK (amount > 0),
    net_amount BIGINT NOT NULL CHECK (net_amount > 0 AND net_amount <= amount),
    description TEXT,
    customer_name TEXT,
    customer_email TEXT,
    customer_cellphone TEXT,
    customer_tax_id TEXT,
    metadata TEXT,
    txid TEXT COLLATE "C" NOT NULL,
    br_code TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    -- EXPIRED is not stored: it follows from expires_at.
    status TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'failed')),
    paid_at BIGINT,
    payer_name TEXT,
    payer_document TEXT,
    payer_bank TEXT,
    end_to_end_id TEXT,
    failed_at BIGINT,
    failed_by TEXT CHECK (failed_by IN ('FAILED', 'CANCELED')),
    failure_reason TEXT,
    PRIMARY KEY (account, environment, id),
    CHECK ((status = 'paid') = (paid_at IS NOT NULL AND end_to_end_id IS NOT NULL)),
    CHECK ((status = 'failed') = (failed_at IS NOT NULL AND failed_by IS NOT NULL AND failure_reason IS NOT NULL))
) WITH (fillfactor = 80); -- Room for the status, which changes once.
-- A provider knows a charge by its txid alone, an operator by its id alone.
CREATE UNIQUE INDEX charges_by_txid ON charges (txid);
CREATE UNIQUE INDEX charges_by_id ON charges (id text_pattern_ops); -- Finds, but does not sort: no list is read from it.
-- What lists show, apart from the rest: however much is sold on hosted pages, a page of the list costs the same.
CREATE INDEX charges_listed ON charges (account, environment, id) WHERE origin IN ('api', 'agent');

-- What makes a charge a boleto: the title it is payable by beside its PIX code. Written with the charge and never changed.
CREATE TABLE boletos (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT COLLATE "C" NOT NULL CHECK (length(id) = 26), -- The charge's.
    payer_name TEXT NOT NULL,
    payer_document TEXT NOT NULL,
    payer_cep TEXT NOT NULL CHECK (length(payer_cep) = 8),
    wallet TEXT COLLATE "C" NOT NULL,
    our_number TEXT COLLATE "C" NOT NULL,
    barcode TEXT COLLATE "C" NOT NULL CHECK (length(barcode) = 44),
    due_date TEXT COLLATE "C" NOT NULL CHECK (length(due_date) = 10),
    pdf_token TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (account, environment, id)
);
-- A bank, the first three digits of the barcode, gives a number in a wallet once. Of two banks the wallets may be called the same.
CREATE UNIQUE INDEX boletos_by_our_number ON boletos (substr(barcode, 1, 3), wallet, our_number);
-- Whoever pays a slip shows its barcode alone, whoever reads it its token alone.
CREATE UNIQUE INDEX boletos_by_barcode ON boletos (barcode);
CREATE UNIQUE INDEX boletos_by_pdf_token ON boletos (pdf_token);

-- Every payment a bank told us of, once, and what was made of it.
CREATE TABLE receipts (
    arrival BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    charge TEXT COLLATE "C" NOT NULL,
    end_to_end_id TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL CHECK (amount > 0),
    paid_at BIGINT NOT NULL,
    payer_name TEXT,
    payer_document TEXT,
    payer_bank TEXT,
    return_reason TEXT,
    received_at BIGINT NOT NULL,
    PRIMARY KEY (account, environment, charge, arrival)
);
-- A payment has one name in the whole country.
CREATE UNIQUE INDEX receipts_by_end_to_end_id ON receipts (end_to_end_id);

-- Payments on their way back to their payers.
CREATE TABLE returns (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT COLLATE "C" NOT NULL CHECK (length(id) = 26),
    charge TEXT COLLATE "C" NOT NULL,
    end_to_end_id TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL CHECK (amount > 0),
    reason TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'done', 'refused')),
    ended_at BIGINT,
    provider_id TEXT,
    tries BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, environment, id),
    CHECK ((state = 'open') = (ended_at IS NULL)),
    CHECK ((state = 'done') = (provider_id IS NOT NULL))
);
CREATE INDEX returns_by_charge ON returns (account, environment, charge, id);
-- The worker asks for what is due, whoever it belongs to.
CREATE INDEX returns_due ON returns (due_at) WHERE state = 'open';

-- What the first request with an idempotency key made.
CREATE TABLE idempotency_records (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    route TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    body_digest BYTEA NOT NULL CHECK (length(body_digest) = 32),
    object TEXT COLLATE "C" NOT NULL CHECK (length(object) = 26),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, environment, route, key)
);
