-- The key that requests without a key are recorded under, where the operator allows these. Nobody has its secret.
ALTER TABLE api_keys ADD COLUMN is_keyless INTEGER NOT NULL DEFAULT 0 CHECK (is_keyless IN (0, 1));
CREATE UNIQUE INDEX api_keys_one_keyless ON api_keys (is_keyless) WHERE is_keyless = 1;
