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

-- Which licences the operator has accepted, each once.
CREATE TABLE accepted_licenses (
  license TEXT NOT NULL, -- SPDX id or LicenseRef-…
  text TEXT NOT NULL, -- sha256:… of what was accepted, or where it can be read
  model_id TEXT NOT NULL, -- of which it was asked first
  actor TEXT NOT NULL,
  created INTEGER NOT NULL,
  PRIMARY KEY (license, text)
) STRICT;

-- When a model was last used.
CREATE INDEX usage_by_model ON usage (model, created);

-- Models that stay loaded, whoever needs room.
CREATE TABLE pinned_models (
  model_id TEXT PRIMARY KEY, -- canonical
  created INTEGER NOT NULL
) STRICT;
