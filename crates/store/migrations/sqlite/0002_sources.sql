-- Sources: what is scraped, the versions of their recipes, pages and values kept.

ALTER TABLE source_health ADD COLUMN released_at INTEGER;

CREATE TABLE source (
    source_name TEXT PRIMARY KEY,
    definition_json TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

CREATE TABLE recipe_version (
    source_name TEXT NOT NULL REFERENCES source (source_name) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    stage TEXT NOT NULL,
    recipe_json TEXT NOT NULL,
    definition_json TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    -- Whether it is validated and waits for a person.
    waits INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    promoted_at INTEGER,
    promoted_by TEXT,
    replaces INTEGER,
    -- Real runs since it went into force, and how many of them failed.
    runs INTEGER NOT NULL DEFAULT 0,
    failed_runs INTEGER NOT NULL DEFAULT 0,
    -- At most one version in force:
    in_force TEXT GENERATED ALWAYS AS (CASE WHEN stage = 'PRODUCTION' THEN source_name END) STORED UNIQUE,
    PRIMARY KEY (source_name, version)
);

CREATE TABLE snapshot (
    snapshot_id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_name TEXT NOT NULL REFERENCES source (source_name) ON DELETE CASCADE,
    role TEXT NOT NULL,
    url TEXT NOT NULL,
    taken_at INTEGER NOT NULL,
    content_deflate BLOB NOT NULL,
    values_json TEXT
);
CREATE INDEX snapshot_of_source ON snapshot (source_name, role, url, snapshot_id);

CREATE TABLE source_value (
    value_id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_name TEXT NOT NULL REFERENCES source (source_name) ON DELETE CASCADE,
    url TEXT NOT NULL,
    at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    values_json TEXT NOT NULL
);
CREATE INDEX value_of_source ON source_value (source_name, at);

-- Alerts outlive their sources.
CREATE TABLE alert (
    alert_id INTEGER PRIMARY KEY AUTOINCREMENT,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX alert_of_target ON alert (target, alert_id);

CREATE TABLE name_check (
    check_id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_name TEXT NOT NULL REFERENCES source (source_name) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    target_known INTEGER NOT NULL,
    control_known INTEGER NOT NULL
);
CREATE INDEX name_check_of_source ON name_check (source_name, at);

-- When each host would be idle again if every turn took its full interval; by the database's clock.
CREATE TABLE host_turn (
    host TEXT PRIMARY KEY,
    idle_at INTEGER NOT NULL,
    -- Whether the last who asked took a turn, or found it too far away.
    taken INTEGER NOT NULL
);
