-- Times are milliseconds since 1970 in UTC; JSON is text; a flag is 0 or 1.

CREATE TABLE task_queue (
    task_id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    target TEXT NOT NULL,
    state TEXT NOT NULL,
    priority INTEGER NOT NULL DEFAULT 5,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER,
    error_message TEXT,
    retry_count INTEGER NOT NULL DEFAULT 0,
    max_retries INTEGER NOT NULL DEFAULT 3,
    context_json TEXT NOT NULL,
    run_at INTEGER NOT NULL,
    host TEXT,
    lease_owner TEXT,
    lease_until INTEGER,
    lease_epoch INTEGER NOT NULL DEFAULT 0,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    -- The rules of the queue follow from the state, so that no statement can forget them.
    -- At most one open task for the same work:
    open_key TEXT GENERATED ALWAYS AS
        (CASE WHEN state IN ('PENDING', 'IN_PROGRESS') THEN type || ':' || target END) STORED UNIQUE,
    -- At most one running task for the same target:
    running_key TEXT GENERATED ALWAYS AS
        (CASE WHEN state = 'IN_PROGRESS' THEN target END) STORED UNIQUE,
    -- From when on a worker may claim it, and in which order; closed tasks have left the index's order:
    ready_at INTEGER GENERATED ALWAYS AS
        (CASE state WHEN 'PENDING' THEN run_at WHEN 'IN_PROGRESS' THEN lease_until END) STORED,
    ready_priority INTEGER GENERATED ALWAYS AS
        (CASE WHEN state IN ('PENDING', 'IN_PROGRESS') THEN priority END) STORED
);
CREATE INDEX task_ready ON task_queue (ready_priority, ready_at, task_id);

CREATE TABLE source_health (
    source_name TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    last_success_at INTEGER,
    last_failure_at INTEGER,
    success_count INTEGER NOT NULL DEFAULT 0,
    failure_count INTEGER NOT NULL DEFAULT 0,
    fix_attempts_today INTEGER NOT NULL DEFAULT 0,
    quarantine_until INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

CREATE TABLE run (
    run_id TEXT PRIMARY KEY,
    task_id INTEGER NOT NULL REFERENCES task_queue (task_id) ON DELETE CASCADE,
    workflow TEXT NOT NULL,
    target TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    healed INTEGER,
    stop_reason TEXT,
    results_json TEXT,
    report TEXT,
    -- At most one unfinished run for a task:
    unfinished_task INTEGER GENERATED ALWAYS AS (CASE WHEN finished_at IS NULL THEN task_id END) STORED UNIQUE
);
CREATE INDEX run_of_task ON run (task_id);
CREATE INDEX run_by_start ON run (started_at);

CREATE TABLE run_checkpoint (
    run_id TEXT NOT NULL REFERENCES run (run_id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    node TEXT NOT NULL,
    next_node TEXT,
    state_version INTEGER NOT NULL,
    state_json TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, seq)
);

CREATE TABLE run_event (
    run_id TEXT NOT NULL REFERENCES run (run_id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body_json TEXT NOT NULL,
    PRIMARY KEY (run_id, sequence)
);

-- The key is a digest: a message may be longer than an index row.
CREATE TABLE diagnostic (
    run_id TEXT NOT NULL REFERENCES run (run_id) ON DELETE CASCADE,
    diagnostic_key BLOB NOT NULL,
    first_seen_at INTEGER NOT NULL,
    entry_json TEXT NOT NULL,
    PRIMARY KEY (run_id, diagnostic_key)
);

CREATE TABLE run_output (
    run_id TEXT NOT NULL REFERENCES run (run_id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    node TEXT NOT NULL,
    command TEXT NOT NULL,
    ended TEXT NOT NULL,
    millis INTEGER NOT NULL,
    output_deflate BLOB NOT NULL,
    PRIMARY KEY (run_id, sequence)
);

-- source_name is any target, so it does not refer to source_health; the history outlives runs and sources.
CREATE TABLE fix_history (
    fix_id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_name TEXT NOT NULL,
    error_type TEXT NOT NULL,
    diagnosis_context TEXT NOT NULL,
    patch_generated TEXT NOT NULL,
    validation_result TEXT NOT NULL,
    deployed_to TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    run_id TEXT REFERENCES run (run_id) ON DELETE SET NULL
);
CREATE INDEX fix_of_target ON fix_history (source_name, created_at);
CREATE INDEX fix_of_run ON fix_history (run_id);
