-- Reasons of decisions; alerts that another one stands for, which are listed and not delivered; what the charts of the overview
-- count by day.
ALTER TABLE decision ADD COLUMN note TEXT;
ALTER TABLE alert ADD COLUMN is_quiet BIGINT NOT NULL DEFAULT 0;
CREATE INDEX fix_by_time ON fix_history (created_at, deployed_to, error_type);
CREATE INDEX alert_by_time ON alert (created_at, kind, target);
DROP INDEX llm_call_at;
CREATE INDEX llm_call_at ON llm_call (at, micro_dollars);
