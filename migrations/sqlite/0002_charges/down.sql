DROP TABLE idempotency_records;
DROP TABLE returns;
DROP TABLE receipts;
DROP TABLE boletos;
DROP TABLE charges;
