-- What `usage` adds up to by day (UTC), key and model: a report of a year does not read each request.
CREATE TABLE usage_days (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  day INTEGER NOT NULL, -- since 1970-01-01
  key_id TEXT NOT NULL REFERENCES api_keys (id),
  model TEXT NOT NULL,
  requests INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  audio_ms INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, key_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_by_day ON usage_days (day);

INSERT INTO usage_days
SELECT account_id, created / 86400000, key_id, model, count(*), sum(prompt_tokens), sum(cached_tokens),
  sum(completion_tokens), sum(reasoning_tokens), sum(characters), sum(audio_ms), sum(cost), sum(charged)
FROM usage GROUP BY 1, 2, 3, 4;

CREATE TRIGGER usage_adds_to_its_day AFTER INSERT ON usage
BEGIN
  INSERT INTO usage_days
  VALUES (NEW.account_id, NEW.created / 86400000, NEW.key_id, NEW.model, 1, NEW.prompt_tokens, NEW.cached_tokens,
    NEW.completion_tokens, NEW.reasoning_tokens, NEW.characters, NEW.audio_ms, NEW.cost, NEW.charged)
  ON CONFLICT DO UPDATE SET
    requests = requests + excluded.requests,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    characters = characters + excluded.characters,
    audio_ms = audio_ms + excluded.audio_ms,
    cost = cost + excluded.cost,
    charged = charged + excluded.charged;
END;
