-- Events for webhooks, as rows before they are sent. `next_attempt` is NULL once one was taken or given up.
CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  webhook TEXT NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  created INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt INTEGER,
  delivered INTEGER,
  status INTEGER, -- HTTP status of the last answer
  failure TEXT
) STRICT;
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook, next_attempt) WHERE next_attempt IS NOT NULL;
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (created);

-- Ids of the last rows that were passed on, by reader.
CREATE TABLE read_positions (
  reader TEXT PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT;
