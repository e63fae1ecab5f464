-- An index of one manual, one file for each. It can be made again at any time: another version is not migrated.
CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- The pages of the manual. `due`: it has to be requested; `hash` is NULL until it was read, and where it has no text.
CREATE TABLE page (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    due INTEGER NOT NULL DEFAULT 1,
    etag TEXT,
    last_modified TEXT,
    hash TEXT,
    title TEXT NOT NULL DEFAULT '',
    breadcrumb TEXT NOT NULL DEFAULT '[]',
    failure TEXT
) STRICT;
CREATE INDEX page_due ON page (id) WHERE due = 1;
CREATE INDEX page_hash ON page (hash) WHERE hash IS NOT NULL;

-- Rows of tables, entries and paragraphs.
CREATE TABLE unit (
    id INTEGER PRIMARY KEY,
    page INTEGER NOT NULL REFERENCES page,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    own TEXT NOT NULL,
    keys TEXT NOT NULL,
    above TEXT NOT NULL,
    before TEXT NOT NULL
) STRICT;
CREATE INDEX unit_page ON unit (page);

-- Abbreviations that a page explains.
CREATE TABLE abbreviation (
    short TEXT NOT NULL,
    long TEXT NOT NULL,
    page INTEGER NOT NULL REFERENCES page,
    PRIMARY KEY (short, long, page)
) STRICT, WITHOUT ROWID;
CREATE INDEX abbreviation_page ON abbreviation (page);

-- The words come divided by spaces, in the form in which they are compared.
CREATE VIRTUAL TABLE unit_words USING fts5 (
    own, around, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '-_.'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (unit_words, row);
