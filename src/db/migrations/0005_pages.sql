-- An operator's sessions may do what the command line can. The operator's own account is the oldest of them.
ALTER TABLE accounts ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 0 CHECK (is_operator IN (0, 1));
UPDATE accounts SET is_operator = 1
WHERE id = (SELECT id FROM accounts WHERE is_unmetered = 1 ORDER BY created, rowid LIMIT 1);
CREATE INDEX accounts_operators ON accounts (created) WHERE is_operator = 1;

-- Links by which an operator chooses a password. They come from the command line or the terminal, never by mail.
CREATE TABLE setup_links (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  used INTEGER
) STRICT;

ALTER TABLE sessions RENAME TO earlier_sessions;
CREATE TABLE sessions (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  id TEXT NOT NULL UNIQUE, -- names the session where it is listed and ended: no secret
  account_id TEXT NOT NULL REFERENCES accounts (id),
  is_by_link INTEGER NOT NULL CHECK (is_by_link IN (0, 1)), -- began with a mailed link rather than a password
  is_operator INTEGER NOT NULL CHECK (is_operator IN (0, 1)), -- with an operator's rights, while the account has them
  created INTEGER NOT NULL,
  last_used INTEGER NOT NULL, -- to the minute
  expires INTEGER NOT NULL, -- however much it is used
  address TEXT, -- of the client that used it last
  user_agent TEXT
) STRICT;
INSERT INTO sessions (hash, id, account_id, is_by_link, is_operator, created, last_used, expires)
SELECT hash, 'ses_' || lower(hex(randomblob(12))), account_id, is_by_link, 0, created, created, expires
FROM earlier_sessions;
DROP TABLE earlier_sessions;
CREATE INDEX sessions_by_account ON sessions (account_id, created);

-- The key that an account's use of the playground is recorded under. Nobody has its secret.
ALTER TABLE api_keys ADD COLUMN is_playground INTEGER NOT NULL DEFAULT 0 CHECK (is_playground IN (0, 1));
CREATE UNIQUE INDEX api_keys_one_playground ON api_keys (account_id) WHERE is_playground = 1;

-- From the start of the request to its first output.
ALTER TABLE usage ADD COLUMN first_output_ms INTEGER;
-- What was held for the request when it ended. Of unmetered accounts nothing is.
ALTER TABLE usage ADD COLUMN held INTEGER;

-- What an account and each of its keys spent lately, read from the index alone.
CREATE INDEX usage_spent ON usage (account_id, created, key_id, cost, charged);
-- Requests of one model, of one key, and those that failed.
CREATE INDEX usage_by_account_and_model ON usage (account_id, model, created);
CREATE INDEX usage_by_account_and_key ON usage (account_id, key_id, created);
CREATE INDEX usage_failed ON usage (account_id, created) WHERE finish = 'failed';

CREATE INDEX ledger_by_kind ON ledger (kind);
-- With the amount: months and days are summed up from the index alone.
CREATE INDEX ledger_by_account_and_time ON ledger (account_id, created, amount);
