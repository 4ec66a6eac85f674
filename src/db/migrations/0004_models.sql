-- What models needed of memory while they were loaded. Sizes are bytes by pool, as JSON.
CREATE TABLE measured_memory (
  key TEXT PRIMARY KEY, -- of all that changes it: memory/measured-memory.ts
  model_id TEXT NOT NULL,
  backend TEXT NOT NULL,
  peak TEXT NOT NULL,
  overhead TEXT NOT NULL, -- above the estimate
  loads INTEGER NOT NULL CHECK (loads >= 0),
  load_ms REAL, -- a mean, the latest loads counting more
  last_used INTEGER NOT NULL
) STRICT;
