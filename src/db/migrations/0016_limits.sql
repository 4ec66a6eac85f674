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

-- Rows of requests that run against budgets. None outlives its server process.
CREATE TABLE budget_holds (
  request_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  period TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (request_id, subject, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX budget_holds_by_subject ON budget_holds (subject, period);

CREATE TRIGGER budget_is_held AFTER INSERT ON budget_holds
BEGIN UPDATE spent SET held = held + NEW.amount WHERE subject = NEW.subject AND period = NEW.period; END;

CREATE TRIGGER budget_is_held_otherwise AFTER UPDATE OF amount ON budget_holds
BEGIN UPDATE spent SET held = held + NEW.amount - OLD.amount WHERE subject = NEW.subject AND period = NEW.period; END;

CREATE TRIGGER budget_is_released AFTER DELETE ON budget_holds
BEGIN UPDATE spent SET held = held - OLD.amount WHERE subject = OLD.subject AND period = OLD.period; END;
