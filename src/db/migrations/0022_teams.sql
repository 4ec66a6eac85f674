-- A team is an account that pays for its members' keys. Nobody signs in to it.
ALTER TABLE accounts ADD COLUMN kind TEXT NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'team'));
CREATE INDEX accounts_teams ON accounts (created) WHERE kind = 'team';

CREATE TABLE memberships (
  team_id TEXT NOT NULL REFERENCES accounts (id),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  role TEXT NOT NULL CHECK (role IN ('member', 'manager')),
  source TEXT NOT NULL CHECK (source IN ('hand', 'groups')),
  created INTEGER NOT NULL,
  PRIMARY KEY (team_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_account ON memberships (account_id);

CREATE TRIGGER memberships_join_persons_to_teams BEFORE INSERT ON memberships
WHEN (SELECT kind FROM accounts WHERE id = NEW.team_id) IS NOT 'team'
  OR (SELECT kind FROM accounts WHERE id = NEW.account_id) IS NOT 'person'
BEGIN SELECT RAISE(ABORT, 'a membership joins a person to a team'); END;

CREATE TRIGGER teams_never_sign_in BEFORE UPDATE OF email, password_hash, role, kind ON accounts
WHEN NEW.kind <> OLD.kind
  OR (NEW.kind = 'team' AND (NEW.email IS NOT NULL OR NEW.password_hash IS NOT NULL OR NEW.role <> 'member'))
BEGIN SELECT RAISE(ABORT, 'a team has no address, password or role'); END;

-- Who uses a team's key. Null: the account itself.
ALTER TABLE api_keys ADD COLUMN holder_id TEXT REFERENCES accounts (id);
CREATE INDEX api_keys_by_holder ON api_keys (holder_id, account_id) WHERE holder_id IS NOT NULL;
DROP INDEX api_keys_one_playground;
CREATE UNIQUE INDEX api_keys_one_playground ON api_keys (account_id, coalesce(holder_id, ''))
WHERE is_playground = 1 AND revoked IS NULL;
