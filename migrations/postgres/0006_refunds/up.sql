-- Money on its way back to whoever paid a charge, because the merchant gives it back.

CREATE TABLE refunds (
    account TEXT COLLATE "C" NOT NULL,
    environment TEXT COLLATE "C" NOT NULL CHECK (environment IN ('test', 'live')),
    id TEXT COLLATE "C" NOT NULL CHECK (length(id) = 26),
    charge TEXT COLLATE "C" NOT NULL CHECK (length(charge) = 26),
    end_to_end_id TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL CHECK (amount > 0),
    reason TEXT,
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
    CHECK ((status = 'pending') = (ended_at IS NULL)),
    CHECK ((status = 'paid') = (authentication IS NOT NULL)),
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
    CHECK ((status = 'pending') = (phase <> 'over'))
) WITH (fillfactor = 80); -- Room for the status and the steps, which change.
-- What is left to refund of a charge is added up from these.
CREATE INDEX refunds_by_charge ON refunds (account, environment, charge, id);
-- An operator knows a refund by its id alone.
CREATE UNIQUE INDEX refunds_by_id ON refunds (id text_pattern_ops); -- As for charges, no list is read from it.
-- The worker asks for what is due, whoever it belongs to.
CREATE INDEX refunds_due ON refunds (due_at, id) WHERE status = 'pending';
