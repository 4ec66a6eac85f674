-- Ids are prefixed text (acc_…, key_…); times are integer milliseconds UTC.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  email TEXT UNIQUE,
  name TEXT NOT NULL,
  is_unmetered INTEGER NOT NULL DEFAULT 0 CHECK (is_unmetered IN (0, 1)),
  created INTEGER NOT NULL
) STRICT;

-- The secret itself is stored nowhere. `prefix` is its first characters: shown to people, and the way to the row.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL UNIQUE,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  created INTEGER NOT NULL,
  expires INTEGER,
  revoked INTEGER,
  last_used INTEGER
) STRICT;

CREATE INDEX api_keys_by_account ON api_keys (account_id);
