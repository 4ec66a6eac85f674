-- Ways to hold a model in memory, as a dry run told them. The key is a hash of everything that a dry run depends on.
CREATE TABLE dry_runs (
  key TEXT NOT NULL PRIMARY KEY,
  model_id TEXT NOT NULL,
  placements TEXT NOT NULL,
  last_used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX dry_runs_by_use ON dry_runs (last_used);
