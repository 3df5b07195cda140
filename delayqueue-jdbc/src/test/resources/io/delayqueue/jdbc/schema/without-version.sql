CREATE TABLE IF NOT EXISTS delayqueue_schema (version INTEGER NOT NULL);
