-- Charges, the slips of those that are boletos, the payments that arrive for them, and the payments that go back.

CREATE TABLE charges (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT NOT NULL CHECK (length(id) = 26),
    kind TEXT NOT NULL CHECK (kind IN ('pix', 'boleto')),
    origin TEXT NOT NULL CHECK (origin = 'api' OR origin = 'agent' OR origin = 'dashboard' OR origin = 'page'),
    amount INTEGER NOT NULL CHECK (amount > 0),
    net_amount INTEGER NOT NULL CHECK (net_amount > 0 AND net_amount <= amount),
    description TEXT,
    customer_name TEXT,
    customer_email TEXT,
    customer_cellphone TEXT,
    customer_tax_id TEXT,
    metadata TEXT,
    txid TEXT NOT NULL,
    br_code TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    -- EXPIRED is not stored: it follows from expires_at.
    status TEXT NOT NULL CHECK (status = 'pending' OR status = 'paid' OR status = 'failed'),
    paid_at INTEGER,
    payer_name TEXT,
    payer_document TEXT,
    payer_bank TEXT,
    end_to_end_id TEXT,
    failed_at INTEGER,
    failed_by TEXT CHECK (failed_by IN ('FAILED', 'CANCELED')),
    failure_reason TEXT,
    PRIMARY KEY (account, environment, id),
    CHECK ((status = 'paid') = (paid_at IS NOT NULL AND end_to_end_id IS NOT NULL)),
    CHECK ((status = 'failed') = (failed_at IS NOT NULL AND failed_by IS NOT NULL AND failure_reason IS NOT NULL))
) STRICT;
-- A provider knows a charge by its txid alone, an operator by its id alone.
CREATE UNIQUE INDEX charges_by_txid ON charges (txid);
CREATE UNIQUE INDEX charges_by_id ON charges (id);
-- What lists show, apart from the rest: however much is sold on hosted pages, a page of the list costs the same.
CREATE INDEX charges_listed ON charges (account, environment, id) WHERE origin IN ('api', 'agent');

-- What makes a charge a boleto: the title it is payable by beside its PIX code. Written with the charge and never changed.
CREATE TABLE boletos (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT NOT NULL CHECK (length(id) = 26), -- The charge's.
    payer_name TEXT NOT NULL,
    payer_document TEXT NOT NULL,
    payer_cep TEXT NOT NULL CHECK (length(payer_cep) = 8),
    wallet TEXT NOT NULL,
    our_number TEXT NOT NULL,
    barcode TEXT NOT NULL CHECK (length(barcode) = 44),
    due_date TEXT NOT NULL CHECK (length(due_date) = 10),
    pdf_token TEXT NOT NULL,
    PRIMARY KEY (account, environment, id)
) STRICT, WITHOUT ROWID;
-- A bank, the first three digits of the barcode, gives a number in a wallet once. Of two banks the wallets may be called the same.
CREATE UNIQUE INDEX boletos_by_our_number ON boletos (substr(barcode, 1, 3), wallet, our_number);
-- Whoever pays a slip shows its barcode alone, whoever reads it its token alone.
CREATE UNIQUE INDEX boletos_by_barcode ON boletos (barcode);
CREATE UNIQUE INDEX boletos_by_pdf_token ON boletos (pdf_token);

-- Every payment a bank told us of, once, and what was made of it.
CREATE TABLE receipts (
    arrival INTEGER NOT NULL PRIMARY KEY,
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    charge TEXT NOT NULL,
    end_to_end_id TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    paid_at INTEGER NOT NULL,
    payer_name TEXT,
    payer_document TEXT,
    payer_bank TEXT,
    return_reason TEXT,
    received_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX receipts_by_charge ON receipts (account, environment, charge, arrival);
-- A payment has one name in the whole country.
CREATE UNIQUE INDEX receipts_by_end_to_end_id ON receipts (end_to_end_id);

-- Payments on their way back to their payers.
CREATE TABLE returns (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT NOT NULL CHECK (length(id) = 26),
    charge TEXT NOT NULL,
    end_to_end_id TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    reason TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state = 'open' OR state = 'done' OR state = 'refused'),
    ended_at INTEGER,
    provider_id TEXT,
    tries INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, environment, id),
    CHECK ((state = 'open') = (ended_at IS NULL)),
    CHECK ((state = 'done') = (provider_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX returns_by_charge ON returns (account, environment, charge, id);
-- The worker asks for what is due, whoever it belongs to.
CREATE INDEX returns_due ON returns (due_at) WHERE state = 'open';

-- What the first request with an idempotency key made.
CREATE TABLE idempotency_records (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    body_digest BLOB NOT NULL CHECK (length(body_digest) = 32),
    object TEXT NOT NULL CHECK (length(object) = 26),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, environment, route, key)
) STRICT, WITHOUT ROWID;
