-- What happened in a run, in the one vocabulary of all interfaces, in place of a flag. A run of an earlier version that fixed a
-- part counts as one that could not fix.
ALTER TABLE run ADD COLUMN outcome TEXT;
UPDATE run SET stop_reason = CASE
    WHEN stop_reason = 'QUARANTINED' AND workflow <> 'FIX_SOURCE' THEN 'DEAD_LETTER'
    WHEN stop_reason = 'BROKEN' THEN 'FAILED'
    ELSE stop_reason END;
UPDATE run SET outcome = CASE
    WHEN stop_reason IN ('GREEN') THEN 'fixed'
    WHEN stop_reason IN ('NOTHING_TO_DO', 'WELL_ALREADY') THEN 'nothing_to_fix'
    WHEN stop_reason IN ('PARTLY_CHECKED', 'NO_CI_RUN', 'CI_TIMEOUT') THEN 'unverified'
    WHEN stop_reason IN ('UNMERGED', 'IN_REVIEW') THEN 'needs_review'
    WHEN stop_reason IN ('NO_PROGRESS', 'REPEATED_PATCH', 'ATTEMPTS', 'BUDGET', 'FLAKY', 'OWN_COMMIT', 'NOT_HEALED', 'QUARANTINED')
        THEN 'could_not_fix'
    WHEN stop_reason IN ('GOOD') THEN 'fetched'
    WHEN stop_reason IN ('HEALED') THEN 'healed'
    WHEN stop_reason IN ('ADDED') THEN 'added'
    WHEN stop_reason IN ('NOT_ADDED') THEN 'not_added'
    WHEN stop_reason IN ('RATE_LIMIT') THEN 'blocked'
    WHEN stop_reason IN ('PARSE_ERROR', 'SCHEMA_MISMATCH', 'DEAD') THEN 'broken'
    WHEN stop_reason IN ('CANCELLED') THEN 'cancelled'
    ELSE 'failed' END
WHERE finished_at IS NOT NULL;
ALTER TABLE run DROP COLUMN healed;
CREATE INDEX run_by_outcome ON run (outcome, run_id);

-- Overviews read indexes only: the rows hold whole documents and reports.
DROP INDEX run_of_target;
CREATE INDEX run_of_target ON run (target, run_id, workflow, finished_at, outcome);
DROP INDEX run_by_start;
CREATE INDEX run_by_start ON run (started_at, outcome);
