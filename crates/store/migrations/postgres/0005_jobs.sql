-- What was asked for over HTTP: a name for each request, before there is a run. Several requests for the same work share a task.

CREATE TABLE job (
    job_id TEXT PRIMARY KEY,
    task_id BIGINT NOT NULL REFERENCES task_queue (task_id) ON DELETE CASCADE,
    asked_by TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX job_of_task ON job (task_id);
-- The newest runs of a target are looked for without reading the others.
CREATE INDEX run_of_target ON run (target, run_id);
CREATE INDEX value_newest ON source_value (source_name, value_id);
