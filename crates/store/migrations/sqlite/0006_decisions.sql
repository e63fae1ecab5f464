-- Who decided what, and who was told of what.

-- What people decided about sources; outlives them.
CREATE TABLE decision (
    decision_id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_name TEXT NOT NULL,
    decision TEXT NOT NULL,
    version INTEGER,
    asked_by TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX decision_of_source ON decision (source_name, decision_id);

-- How it is delivered: POST to a web address, or MAIL.
ALTER TABLE notice ADD COLUMN channel TEXT NOT NULL DEFAULT 'POST';
ALTER TABLE notice ADD COLUMN alert_id INTEGER;

-- When an alert arrived.
ALTER TABLE alert ADD COLUMN posted_at INTEGER;
ALTER TABLE alert ADD COLUMN mailed_at INTEGER;
