DROP TABLE provider_records;
DROP TABLE readiness;
DROP TABLE epochs;
DROP TABLE installation_values;
DROP TABLE api_keys;
DROP TABLE memberships;
DROP TABLE users;
DROP TABLE accounts;
