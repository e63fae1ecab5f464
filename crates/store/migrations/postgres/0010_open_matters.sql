-- The page asks every few seconds for what needs a decision: that is found without a look at closed tasks and earlier runs.
CREATE INDEX task_quarantined ON task_queue (task_id) WHERE state = 'QUARANTINED';
CREATE INDEX run_of_repository ON run (target, run_id) WHERE workflow = 'HEAL_REPO';
CREATE INDEX recipe_waiting ON recipe_version (created_at) WHERE waits = 1;
CREATE INDEX source_stopped ON source_health (updated_at) WHERE state IN ('QUARANTINED', 'DEAD');
