CREATE TABLE readiness (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    probes BIGINT NOT NULL
);
INSERT INTO readiness VALUES (1, 0);
