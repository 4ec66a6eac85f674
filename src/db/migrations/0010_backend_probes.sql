-- Backends that were seen to compute. `machine`: driver, cards, library and visible devices; where one differs, nothing is known.
CREATE TABLE backend_probes (
  kind TEXT NOT NULL,
  backend TEXT NOT NULL,
  machine TEXT NOT NULL,
  devices TEXT NOT NULL,
  created INTEGER NOT NULL,
  PRIMARY KEY (kind, backend)
) STRICT, WITHOUT ROWID;
