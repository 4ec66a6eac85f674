-- People as identity providers know them. `groups`: a JSON list of those that settings name.
CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts(id),
  provider TEXT NOT NULL,
  email TEXT,
  groups TEXT NOT NULL,
  created INTEGER NOT NULL,
  last_sign_in INTEGER NOT NULL,
  refused INTEGER, -- time since which the person is in none of the allowed groups
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_account ON identities (account_id);

-- Time until which the account's keys and sessions count without a sign-in at its provider. NULL: always.
ALTER TABLE accounts ADD COLUMN admitted_until INTEGER;

-- Provider that a session began with, and the id of its session there.
ALTER TABLE sessions ADD COLUMN provider TEXT;
ALTER TABLE sessions ADD COLUMN provider_session TEXT;
CREATE INDEX sessions_by_provider ON sessions (provider, provider_session) WHERE provider IS NOT NULL;
