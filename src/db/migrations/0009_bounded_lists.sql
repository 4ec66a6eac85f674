-- Who made it for another account: what an operator has handed out ends with the operator's rights. Null: the account itself, or the
-- command line.
ALTER TABLE api_keys ADD COLUMN made_by TEXT REFERENCES accounts (id);
ALTER TABLE mail_tokens ADD COLUMN made_by TEXT REFERENCES accounts (id);
ALTER TABLE setup_links ADD COLUMN made_by TEXT REFERENCES accounts (id);
CREATE INDEX api_keys_made_for_others ON api_keys (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX mail_tokens_made_for_others ON mail_tokens (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX setup_links_made_for_others ON setup_links (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX setup_links_by_account ON setup_links (account_id);
UPDATE api_keys SET made_by = accounts.id
FROM audit_log JOIN accounts ON accounts.id = substr(audit_log.actor, 10)
WHERE audit_log.action = 'key.create' AND audit_log.actor GLOB 'operator:*'
  AND api_keys.id = json_extract(audit_log.details, '$.key') AND api_keys.account_id <> accounts.id;

-- Keys in force, whatever lies beside them; and those that ended unused, which are deleted after a while.
CREATE INDEX api_keys_in_force ON api_keys (account_id, created) WHERE revoked IS NULL;
CREATE INDEX api_keys_unused ON api_keys (coalesce(revoked, expires)) WHERE last_used IS NULL;
-- A key belongs to one account. They begin with the key, so that deleting one does not search all of what others used.
DROP INDEX usage_by_account_and_key;
CREATE INDEX usage_by_key ON usage (key_id, created);
CREATE INDEX usage_days_by_key ON usage_days (key_id);

-- The latest entry of one kind about an account.
CREATE INDEX audit_log_by_account_and_action ON audit_log (account_id, action, id);
CREATE INDEX outbox_waiting_by_time ON outbox (created) WHERE sent IS NULL;
CREATE INDEX accounts_disabled ON accounts (created) WHERE disabled IS NOT NULL;
CREATE INDEX accounts_unmetered ON accounts (created) WHERE is_unmetered = 1;

-- `count`: accounts made; `tries`: addresses looked up besides.
ALTER TABLE signups ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
CREATE INDEX signups_by_day ON signups (day);
CREATE INDEX sessions_by_expiry ON sessions (expires);
CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires);
CREATE INDEX setup_links_by_expiry ON setup_links (expires);
