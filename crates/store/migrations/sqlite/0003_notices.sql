-- What is posted to web addresses, and alerts that several targets share.

ALTER TABLE alert ADD COLUMN host TEXT;
ALTER TABLE alert ADD COLUMN cause TEXT;
CREATE INDEX alert_shared ON alert (host, cause, created_at) WHERE host IS NOT NULL;

-- Whether the last run failed because nobody was reached.
ALTER TABLE source_health ADD COLUMN unreached INTEGER NOT NULL DEFAULT 0;

-- A row is deleted when it was delivered.
CREATE TABLE notice (
    notice_id INTEGER PRIMARY KEY AUTOINCREMENT,
    target TEXT NOT NULL,
    -- None: where alerts go, which is a setting of whoever posts.
    address TEXT,
    body_json TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    -- None: it was given up.
    due_at INTEGER,
    last_error TEXT
);
CREATE INDEX notice_due ON notice (due_at) WHERE due_at IS NOT NULL;

-- The newest pages and values are looked for without reading the others.
CREATE INDEX snapshot_newest ON snapshot (source_name, role, snapshot_id);
CREATE INDEX value_of_page ON source_value (source_name, url, value_id);
