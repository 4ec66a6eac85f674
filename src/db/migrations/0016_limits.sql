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

-- Cost of requests against budgets, by UTC day (2027-01-31) or month (2027-01) of their hold. Only subjects with a budget have rows.
CREATE TABLE spent (
  subject TEXT NOT NULL,
  period TEXT NOT NULL,
  spent INTEGER NOT NULL,
  held INTEGER NOT NULL CHECK (held >= 0), -- the sum of the rows in `budget_holds`
  moved INTEGER NOT NULL DEFAULT 0, -- cost that usage counts in a later period, less the cost that it counts here for earlier ones
  told INTEGER NOT NULL DEFAULT 0, -- percent of the budget that an event has told
  PRIMARY KEY (subject, period)
) STRICT, WITHOUT ROWID;

-- Requests that run against budgets: what each holds of every budget of its account, key and holder. None outlives its server process.
CREATE TABLE budget_holds (
  request_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  holder_id TEXT,
  day TEXT NOT NULL,
  month TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER budget_is_held AFTER INSERT ON budget_holds
BEGIN
  UPDATE spent SET held = held + NEW.amount
  WHERE subject IN (NEW.account_id, NEW.key_id, NEW.holder_id) AND period IN (NEW.day, NEW.month);
END;

CREATE TRIGGER budget_is_held_otherwise AFTER UPDATE OF amount ON budget_holds
BEGIN
  UPDATE spent SET held = held + NEW.amount - OLD.amount
  WHERE subject IN (NEW.account_id, NEW.key_id, NEW.holder_id) AND period IN (NEW.day, NEW.month);
END;

CREATE TRIGGER budget_is_released AFTER DELETE ON budget_holds
BEGIN
  UPDATE spent SET held = held - OLD.amount
  WHERE subject IN (OLD.account_id, OLD.key_id, OLD.holder_id) AND period IN (OLD.day, OLD.month);
END;
