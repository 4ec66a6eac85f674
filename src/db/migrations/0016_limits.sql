-- Limits of accounts (acc_…) and keys (key_…), by who set them: all of them bind. NULL: no limit. Lists are JSON.
CREATE TABLE limits (
  subject TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('operator', 'groups', 'holder')),
  daily_nano_usd INTEGER CHECK (daily_nano_usd >= 0),
  monthly_nano_usd INTEGER CHECK (monthly_nano_usd >= 0),
  requests_per_minute INTEGER CHECK (requests_per_minute > 0),
  tokens_per_minute INTEGER CHECK (tokens_per_minute > 0),
  parallel INTEGER CHECK (parallel > 0),
  models TEXT,
  endpoints TEXT,
  networks TEXT,
  PRIMARY KEY (subject, source)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER key_takes_its_limits_along AFTER DELETE ON api_keys
BEGIN DELETE FROM limits WHERE subject = OLD.id; END;

-- Budgets that events have told, by UTC day (2027-01-31) or month (2027-01). A changed budget is told again.
CREATE TABLE told_budgets (
  subject TEXT NOT NULL,
  period TEXT NOT NULL,
  limit_nano_usd INTEGER NOT NULL,
  percent INTEGER NOT NULL,
  PRIMARY KEY (subject, period)
) STRICT, WITHOUT ROWID;
