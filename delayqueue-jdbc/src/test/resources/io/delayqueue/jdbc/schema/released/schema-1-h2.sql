-- The journal of delayqueue, schema version 1, for H2 2 and later.
-- Times are microseconds since 1970 UTC.

-- H2's own functions tell the time at which the transaction began.
CREATE ALIAS IF NOT EXISTS DELAYQUEUE_NOW FOR 'java.lang.System.currentTimeMillis';

-- One row a message. A message whose schedule was not sent to Redis yet has a row in delayqueue_outbox too.
CREATE TABLE IF NOT EXISTS delayqueue_message (
    topic VARCHAR(200) NOT NULL,
    id VARCHAR(512) NOT NULL,
    generation VARCHAR(8) NOT NULL,
    status VARCHAR(12) NOT NULL,
    attempts INTEGER NOT NULL,
    priority SMALLINT NOT NULL,
    max_attempts INTEGER,
    time_to_live BIGINT,
    duplicates VARCHAR(8) NOT NULL,
    due BIGINT NOT NULL,
    due_is_instant SMALLINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    finished BIGINT,
    state_time BIGINT DEFAULT 0 NOT NULL,
    state_sequence BIGINT DEFAULT 0 NOT NULL,
    reason VARCHAR(1000),
    business_key VARCHAR(255),
    headers CLOB,
    payload BLOB NOT NULL,
    CONSTRAINT delayqueue_message_pk PRIMARY KEY (topic, id, generation)
);
CREATE INDEX IF NOT EXISTS delayqueue_message_due ON delayqueue_message (status, topic, due, id);
CREATE INDEX IF NOT EXISTS delayqueue_message_finished ON delayqueue_message (status, finished);
CREATE INDEX IF NOT EXISTS delayqueue_message_key ON delayqueue_message (business_key, created);

-- One row for each id with changes that were not sent to Redis yet.
CREATE TABLE IF NOT EXISTS delayqueue_outbox (
    topic VARCHAR(200) NOT NULL,
    id VARCHAR(512) NOT NULL,
    generation VARCHAR(8),
    operations VARCHAR(4000) NOT NULL,
    changes INTEGER NOT NULL,
    sender BIGINT NOT NULL,
    send_at BIGINT NOT NULL,
    created BIGINT NOT NULL,
    failures INTEGER NOT NULL,
    error VARCHAR(1000),
    trace VARCHAR(255),
    CONSTRAINT delayqueue_outbox_pk PRIMARY KEY (topic, id)
);
CREATE INDEX IF NOT EXISTS delayqueue_outbox_send ON delayqueue_outbox (send_at);

-- The story of each message: changes of its state, in batches behind its way.
CREATE TABLE IF NOT EXISTS delayqueue_event (
    topic VARCHAR(200) NOT NULL,
    id VARCHAR(512) NOT NULL,
    event_time BIGINT NOT NULL,
    sequence_no BIGINT NOT NULL,
    generation VARCHAR(8) NOT NULL,
    from_status VARCHAR(12),
    to_status VARCHAR(12) NOT NULL,
    began BIGINT,
    attempt INTEGER,
    instance VARCHAR(200),
    error VARCHAR(2000),
    CONSTRAINT delayqueue_event_pk PRIMARY KEY (topic, id, event_time, sequence_no)
);
CREATE INDEX IF NOT EXISTS delayqueue_event_time ON delayqueue_event (event_time);

-- Messages that idempotent listeners handled.
CREATE TABLE IF NOT EXISTS delayqueue_inbox (
    topic VARCHAR(200) NOT NULL,
    id VARCHAR(512) NOT NULL,
    generation VARCHAR(8) NOT NULL,
    listener VARCHAR(255) NOT NULL,
    handled BIGINT NOT NULL,
    CONSTRAINT delayqueue_inbox_pk PRIMARY KEY (topic, id, generation, listener)
);
CREATE INDEX IF NOT EXISTS delayqueue_inbox_handled ON delayqueue_inbox (handled);

-- What each instance saw of a partition's counters in Redis: smaller ones show that Redis lost data.
CREATE TABLE IF NOT EXISTS delayqueue_partition (
    topic VARCHAR(200) NOT NULL,
    part INTEGER NOT NULL,
    instance VARCHAR(200) NOT NULL,
    epoch VARCHAR(40) NOT NULL,
    sent BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    CONSTRAINT delayqueue_partition_pk PRIMARY KEY (topic, part, instance)
);
CREATE INDEX IF NOT EXISTS delayqueue_partition_updated ON delayqueue_partition (updated);

-- Work that one instance at a time does: pruning, comparing, restoring.
CREATE TABLE IF NOT EXISTS delayqueue_lease (
    name VARCHAR(255) NOT NULL,
    owner VARCHAR(200),
    expires BIGINT NOT NULL,
    state VARCHAR(4000),
    CONSTRAINT delayqueue_lease_pk PRIMARY KEY (name)
);

CREATE TABLE IF NOT EXISTS delayqueue_schema (
    version INTEGER NOT NULL,
    CONSTRAINT delayqueue_schema_pk PRIMARY KEY (version)
);
MERGE INTO delayqueue_schema (version) KEY (version) VALUES (1);
