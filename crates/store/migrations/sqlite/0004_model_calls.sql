-- What language models were asked, and what that cost.

CREATE TABLE llm_call (
    call_id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    target TEXT,
    billed_to TEXT,
    purpose TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_hash TEXT NOT NULL,
    -- Without secrets, cut, and gone after a while.
    prompt TEXT,
    answer TEXT,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    -- None: nobody knows the price.
    micro_dollars INTEGER,
    latency_millis INTEGER NOT NULL,
    outcome TEXT NOT NULL
);
CREATE INDEX llm_call_at ON llm_call (at);
