-- The diagnostics of a source outlive its runs. The key is a digest: a message may be longer than an index row.
CREATE TABLE source_diagnostic (
    source_name TEXT NOT NULL REFERENCES source (source_name) ON DELETE CASCADE,
    diagnostic_key BYTEA NOT NULL,
    last_seen_at BIGINT NOT NULL,
    resolved_at BIGINT,
    entry_json TEXT NOT NULL,
    PRIMARY KEY (source_name, diagnostic_key)
);
