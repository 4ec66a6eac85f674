-- Costs of steps, measured while models were loaded. The key is a hash of everything that they depend on.
CREATE TABLE step_curves (
  key TEXT NOT NULL PRIMARY KEY,
  model_id TEXT NOT NULL,
  curves TEXT NOT NULL, -- JSON: core/step-costs.ts
  last_used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX step_curves_by_use ON step_curves (last_used);
