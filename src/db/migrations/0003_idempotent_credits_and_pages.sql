-- Named by a client that may repeat its request: a credit is done once per key.
ALTER TABLE ledger ADD COLUMN idempotency_key TEXT CHECK (idempotency_key IS NULL OR kind IN ('credit', 'adjustment'));
CREATE UNIQUE INDEX ledger_one_per_idempotency_key ON ledger (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- Lists are read page by page, by time; rowid, which every index ends with, tells equal times apart.
CREATE INDEX accounts_by_time ON accounts (created);
CREATE INDEX api_keys_by_time ON api_keys (created);
CREATE INDEX vouchers_by_time ON vouchers (created);
CREATE INDEX outbox_by_time ON outbox (created);
DROP INDEX api_keys_by_account;
CREATE INDEX api_keys_by_account ON api_keys (account_id, created);
