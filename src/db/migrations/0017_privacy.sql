-- Accounts whose persons were erased. The id stays as a pseudonym in ledger, usage and audit log.
CREATE TABLE erasures (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  created INTEGER NOT NULL,
  compacted INTEGER -- when the file's free space was rewritten, in which parts of erased rows may lie
) STRICT, WITHOUT ROWID;

CREATE TRIGGER erasures_are_never_undone BEFORE DELETE ON erasures
BEGIN SELECT RAISE(ABORT, 'an erasure is for good'); END;

CREATE TRIGGER erased_accounts_stay_erased BEFORE UPDATE ON accounts
WHEN (NEW.email IS NOT NULL OR NEW.email_key IS NOT NULL OR NEW.password_hash IS NOT NULL OR NEW.disabled IS NULL)
  AND EXISTS (SELECT 1 FROM erasures WHERE account_id = OLD.id)
BEGIN SELECT RAISE(ABORT, 'the person of this account was erased'); END;

-- Texts about an erased person go. Money, times and ids stay.
DROP TRIGGER ledger_is_never_changed;
CREATE TRIGGER ledger_is_never_changed BEFORE UPDATE ON ledger
WHEN NOT (
  NEW.id = OLD.id AND NEW.account_id = OLD.account_id AND NEW.kind = OLD.kind AND NEW.amount = OLD.amount
  AND NEW.balance_after = OLD.balance_after AND NEW.request_id IS OLD.request_id AND NEW.voucher_id IS OLD.voucher_id
  AND NEW.actor = OLD.actor AND NEW.created = OLD.created
  AND NEW.memo IS NULL AND (NEW.idempotency_key IS NULL OR NEW.idempotency_key IS OLD.idempotency_key)
  AND EXISTS (SELECT 1 FROM erasures WHERE account_id = OLD.account_id))
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- Each row's `chain` is a hash over the row and the chain before it (db/audit-chain.ts). `digest` is one of salt and
-- details, so that the chain outlasts erased details.
ALTER TABLE audit_log ADD COLUMN salt BLOB;
ALTER TABLE audit_log ADD COLUMN digest BLOB;
ALTER TABLE audit_log ADD COLUMN chain BLOB;

-- Rows of earlier versions get their chain once; details of erased persons go.
DROP TRIGGER audit_log_is_never_changed;
CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE ON audit_log
WHEN NOT (
  NEW.id = OLD.id AND NEW.created = OLD.created AND NEW.actor = OLD.actor AND NEW.action = OLD.action
  AND NEW.account_id IS OLD.account_id
  AND (
    (OLD.chain IS NULL AND NEW.details = OLD.details)
    OR (NEW.chain IS OLD.chain AND NEW.digest IS OLD.digest AND NEW.salt IS NULL AND NEW.details = '{}'
      AND EXISTS (SELECT 1 FROM erasures WHERE account_id = OLD.account_id))))
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- Times before which rows of a kind were deleted because of their age.
CREATE TABLE retention (
  kind TEXT PRIMARY KEY,
  kept_from INTEGER NOT NULL -- milliseconds UTC
) STRICT, WITHOUT ROWID;
