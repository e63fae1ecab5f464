-- Workers that died, or were cut off, while they worked on the task, since the last checkpoint of its run.
ALTER TABLE task_queue ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
