-- Amounts are integer nano-USD (1 USD = 1e9), times are milliseconds UTC, secrets are SHA-256 hashes.

ALTER TABLE accounts ADD COLUMN email_key TEXT; -- the address as compared: see accounts/email-address.ts
ALTER TABLE accounts ADD COLUMN password_hash TEXT; -- argon2id
ALTER TABLE accounts ADD COLUMN confirmed INTEGER; -- when the address proved to be theirs
ALTER TABLE accounts ADD COLUMN disabled INTEGER;
ALTER TABLE accounts ADD COLUMN balance INTEGER NOT NULL DEFAULT 0 CHECK (balance >= 0);
-- Promised to requests that run: the sum of the account's rows in `holds`.
ALTER TABLE accounts ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0 AND held <= balance);
CREATE UNIQUE INDEX accounts_by_email_key ON accounts (email_key);

CREATE TABLE vouchers (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  amount INTEGER NOT NULL CHECK (amount > 0),
  memo TEXT,
  created INTEGER NOT NULL,
  expires INTEGER,
  redeemed INTEGER,
  redeemed_by TEXT REFERENCES accounts (id),
  revoked INTEGER
) STRICT;

-- Every move of money, for ever. A row is the only way to change a balance.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('signup', 'credit', 'starter_credit', 'voucher', 'usage', 'adjustment')),
  amount INTEGER NOT NULL,
  balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
  request_id TEXT UNIQUE,
  voucher_id TEXT UNIQUE REFERENCES vouchers (id),
  actor TEXT NOT NULL,
  memo TEXT,
  created INTEGER NOT NULL,
  CHECK ((kind = 'usage') = (request_id IS NOT NULL)),
  CHECK ((kind = 'voucher') = (voucher_id IS NOT NULL)),
  CHECK (CASE kind WHEN 'signup' THEN amount = 0 WHEN 'usage' THEN amount < 0 WHEN 'adjustment' THEN amount < 0 ELSE amount > 0 END)
) STRICT;
CREATE INDEX ledger_by_account ON ledger (account_id, id);
CREATE UNIQUE INDEX ledger_one_signup ON ledger (account_id) WHERE kind = 'signup';
CREATE UNIQUE INDEX ledger_one_starter_credit ON ledger (account_id) WHERE kind = 'starter_credit';

CREATE TRIGGER ledger_is_never_changed BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER ledger_is_never_shortened BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER ledger_moves_balance AFTER INSERT ON ledger
BEGIN
  UPDATE accounts SET balance = balance + NEW.amount WHERE id = NEW.account_id;
  SELECT RAISE(ABORT, 'balance_after is not the balance')
  WHERE NEW.balance_after <> (SELECT balance FROM accounts WHERE id = NEW.account_id);
END;

CREATE TRIGGER balance_follows_ledger BEFORE UPDATE OF balance ON accounts
WHEN NEW.balance <> OLD.balance
  AND NEW.balance IS NOT (SELECT balance_after FROM ledger WHERE account_id = NEW.id ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'a balance changes only through the ledger'); END;

-- One row for each request that runs on an account's money. None outlives its server process.
CREATE TABLE holds (
  request_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  created INTEGER NOT NULL
) STRICT;

-- What paid requests used, also where nothing was charged for it. Nothing of what was said.
CREATE TABLE usage (
  request_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL REFERENCES api_keys (id),
  endpoint TEXT NOT NULL,
  model TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  audio_ms INTEGER NOT NULL,
  prices TEXT NOT NULL, -- JSON of the prices that were applied
  cost INTEGER NOT NULL, -- what it is worth at these prices
  charged INTEGER NOT NULL, -- what was taken from the balance: `cost`, or 0 for unmetered accounts
  finish TEXT NOT NULL,
  queued_ms INTEGER,
  loading_ms INTEGER,
  running_ms INTEGER,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_by_account ON usage (account_id, created);
CREATE INDEX usage_by_time ON usage (created);

CREATE TABLE signups (
  ip TEXT NOT NULL, -- of IPv6 the /64
  day TEXT NOT NULL, -- UTC, YYYY-MM-DD
  count INTEGER NOT NULL,
  PRIMARY KEY (ip, day)
) STRICT;

CREATE TABLE mail_tokens (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('confirm', 'sign-in')),
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  used INTEGER
) STRICT;
CREATE INDEX mail_tokens_by_account ON mail_tokens (account_id);

-- Mails to be sent or shown by hand. Their link is made when they leave: no secret lies here.
CREATE TABLE outbox (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('confirm', 'sign-in')),
  created INTEGER NOT NULL,
  sent INTEGER, -- by mail, or shown to the operator
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt INTEGER, -- null: not by itself
  failure TEXT
) STRICT;

CREATE INDEX outbox_by_account ON outbox (account_id, created);
CREATE INDEX outbox_waiting ON outbox (next_attempt) WHERE sent IS NULL;

CREATE TABLE sessions (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  is_by_link INTEGER NOT NULL CHECK (is_by_link IN (0, 1)), -- began with a mailed link rather than a password
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_account ON sessions (account_id);

-- Who changed what about accounts, keys and money. Actors: `cli:<user>`, `account:<id>`, `system`.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  created INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  account_id TEXT,
  details TEXT NOT NULL -- JSON
) STRICT;
CREATE INDEX audit_log_by_account ON audit_log (account_id, id);

CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_log_is_never_shortened BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
