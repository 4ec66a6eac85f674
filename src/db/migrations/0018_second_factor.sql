-- Secrets of authenticator apps (TOTP), readable because codes are computed from them.
CREATE TABLE second_factors (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  secret TEXT NOT NULL, -- Base32
  created INTEGER NOT NULL,
  confirmed INTEGER, -- by the first right code; until then sign-ins ask for none
  last_step INTEGER NOT NULL DEFAULT 0 -- of the latest used code: a code is good once
) STRICT;

-- Whether more than a password began the session, or its account has confirmed a second factor in it.
ALTER TABLE sessions ADD COLUMN has_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (has_second_factor IN (0, 1));
