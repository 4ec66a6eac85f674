-- Searches of the web that a request paid for, beside its tokens.
ALTER TABLE usage ADD COLUMN searches INTEGER NOT NULL DEFAULT 0 CHECK (searches >= 0);
