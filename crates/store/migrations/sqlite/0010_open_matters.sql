-- The page asks every few seconds for what needs a decision: that is found without a look at closed tasks and earlier runs.
CREATE INDEX task_quarantined ON task_queue (task_id) WHERE state = 'QUARANTINED';
CREATE INDEX run_of_repository ON run (target, run_id) WHERE workflow = 'HEAL_REPO';
