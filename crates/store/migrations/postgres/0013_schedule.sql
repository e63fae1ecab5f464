-- The schedule looks at few of many sources: at those that changed, and at those whose time has come. Sources of one host are found
-- without a look at the others, and so is what ran last.
ALTER TABLE source_health ADD COLUMN look_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE source_health ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
CREATE INDEX source_to_look_at ON source_health (look_at, source_name);
CREATE INDEX source_by_change ON source_health (updated_at);
-- The order of the list of sources.
CREATE INDEX source_by_health ON source_health (
    (CASE state WHEN 'DEAD' THEN 0 WHEN 'QUARANTINED' THEN 1 WHEN 'DEGRADED' THEN 2 ELSE 3 END), source_name);
-- `host`, with the port where one is named: https://shop.example:8443/list is at shop.example:8443. Not by
-- `jsonb`, which refuses texts with a NUL somewhere. No key before `url` has that name, and a quote inside of a text is escaped.
ALTER TABLE source ADD COLUMN host TEXT GENERATED ALWAYS AS (
    substring(definition_json from '"url":"[^":/]+://([^"/]+)')) STORED;
CREATE INDEX source_of_host ON source (host);
