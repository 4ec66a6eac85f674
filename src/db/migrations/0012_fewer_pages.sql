-- Each charge writes a page of each index of `usage`, and of each tree of `holds`.

-- `usage_spent` begins as this one did.
DROP INDEX usage_by_account;

ALTER TABLE holds RENAME TO earlier_holds;
-- One row for each request that runs on an account's money. None outlives its server process.
CREATE TABLE holds (
  request_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO holds SELECT * FROM earlier_holds;
DROP TABLE earlier_holds;
