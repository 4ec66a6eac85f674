-- Pictures that requests made.
ALTER TABLE usage ADD COLUMN images INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN images INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER usage_adds_to_its_day;
CREATE TRIGGER usage_adds_to_its_day AFTER INSERT ON usage
BEGIN
  INSERT INTO usage_days (account_id, day, key_id, model, requests, prompt_tokens, cached_tokens, completion_tokens,
    reasoning_tokens, characters, audio_ms, images, cost, charged, estimated_requests, estimated_cost)
  VALUES (NEW.account_id, NEW.created / 86400000, NEW.key_id, NEW.model, 1, NEW.prompt_tokens, NEW.cached_tokens,
    NEW.completion_tokens, NEW.reasoning_tokens, NEW.characters, NEW.audio_ms, NEW.images, NEW.cost, NEW.charged,
    NEW.estimated, NEW.estimated * NEW.cost)
  ON CONFLICT DO UPDATE SET
    requests = requests + excluded.requests,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    characters = characters + excluded.characters,
    audio_ms = audio_ms + excluded.audio_ms,
    images = images + excluded.images,
    cost = cost + excluded.cost,
    charged = charged + excluded.charged,
    estimated_requests = estimated_requests + excluded.estimated_requests,
    estimated_cost = estimated_cost + excluded.estimated_cost;
END;
