-- Money on its way back to whoever paid a charge, because the merchant gives it back.

CREATE TABLE refunds (
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT NOT NULL CHECK (length(id) = 26),
    charge TEXT NOT NULL CHECK (length(charge) = 26),
    end_to_end_id TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    reason TEXT,
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
    CHECK ((status = 'pending') = (ended_at IS NULL)),
    CHECK ((status = 'paid') = (authentication IS NOT NULL)),
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
    CHECK ((status = 'pending') = (phase <> 'over'))
) STRICT;
-- What is left to refund of a charge is added up from these.
CREATE INDEX refunds_by_charge ON refunds (account, environment, charge, id);
-- An operator knows a refund by its id alone.
CREATE UNIQUE INDEX refunds_by_id ON refunds (id);
-- The worker asks for what is due, whoever it belongs to.
CREATE INDEX refunds_due ON refunds (due_at, id) WHERE status = 'pending';
