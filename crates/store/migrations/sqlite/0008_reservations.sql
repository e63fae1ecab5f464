-- The run that paid for a call; none for calls of earlier versions.
ALTER TABLE llm_call ADD COLUMN run_id TEXT;
CREATE INDEX llm_call_run ON llm_call (run_id);

-- The worst case of each model call that is under way. A call that ends replaces its row by one of llm_call; the row of a
-- process that died counts until its time.
CREATE TABLE llm_reservation (
    reservation_id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    micro_dollars INTEGER NOT NULL,
    until INTEGER NOT NULL
);
CREATE INDEX llm_reservation_run ON llm_reservation (run_id);

-- One row, which whoever reserves locks: reservations are made one after the other.
CREATE TABLE llm_admission (
    budget TEXT NOT NULL PRIMARY KEY,
    reserved_at INTEGER NOT NULL
);
