-- Rights of an account, given by an operator or by groups of an identity provider.
ALTER TABLE accounts ADD COLUMN role TEXT NOT NULL DEFAULT 'member'
  CHECK (role IN ('member', 'auditor', 'treasurer', 'operator'));
ALTER TABLE accounts ADD COLUMN role_source TEXT NOT NULL DEFAULT 'hand' CHECK (role_source IN ('hand', 'groups'));
UPDATE accounts SET role = 'operator' WHERE is_operator = 1;
DROP INDEX accounts_operators;
ALTER TABLE accounts DROP COLUMN is_operator;
CREATE INDEX accounts_staff ON accounts (role, created) WHERE role <> 'member';

-- Whether the session has the rights of its account's role.
ALTER TABLE sessions RENAME COLUMN is_operator TO is_staff;
