-- The journal of delayqueue, schema version 1, for PostgreSQL 13 and later.
-- Times are microseconds since 1970 UTC. Names and ids are compared by byte.

-- One row a message. A message whose schedule was not sent to Redis yet has a row in delayqueue_outbox too.
CREATE TABLE IF NOT EXISTS delayqueue_message (
    topic VARCHAR(200) COLLATE "C" NOT NULL,
    id VARCHAR(512) COLLATE "C" NOT NULL,
    generation VARCHAR(8) COLLATE "C" NOT NULL,
    status VARCHAR(12) COLLATE "C" NOT NULL,
    attempts INTEGER NOT NULL,
    priority SMALLINT NOT NULL,
    max_attempts INTEGER,
    time_to_live BIGINT,
    duplicates VARCHAR(8) COLLATE "C" NOT NULL,
    due BIGINT NOT NULL,
    due_is_instant SMALLINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    finished BIGINT,
    state_time BIGINT DEFAULT 0 NOT NULL,
    state_sequence BIGINT DEFAULT 0 NOT NULL,
    reason VARCHAR(1000),
    business_key VARCHAR(255) COLLATE "C",
    headers TEXT,
    payload BYTEA NOT NULL,
    CONSTRAINT delayqueue_message_pk PRIMARY KEY (topic, id, generation)
);
CREATE INDEX IF NOT EXISTS delayqueue_message_due ON delayqueue_message (status, topic, due, id);
CREATE INDEX IF NOT EXISTS delayqueue_message_finished ON delayqueue_message (status, finished) WHERE finished IS NOT NULL;
CREATE INDEX IF NOT EXISTS delayqueue_message_key ON delayqueue_message (business_key, created) WHERE business_key IS NOT NULL;

-- One row for each id with changes that were not sent to Redis yet. Rows live for milliseconds, so dead ones are cleaned up early.
CREATE TABLE IF NOT EXISTS delayqueue_outbox (
    topic VARCHAR(200) COLLATE "C" NOT NULL,
    id VARCHAR(512) COLLATE "C" NOT NULL,
    generation VARCHAR(8) COLLATE "C",
    operations VARCHAR(4000) COLLATE "C" NOT NULL,
    changes INTEGER NOT NULL,
    sender BIGINT NOT NULL,
    send_at BIGINT NOT NULL,
    created BIGINT NOT NULL,
    failures INTEGER NOT NULL,
    error VARCHAR(1000),
    trace VARCHAR(255) COLLATE "C",
    CONSTRAINT delayqueue_outbox_pk PRIMARY KEY (topic, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0);
CREATE INDEX IF NOT EXISTS delayqueue_outbox_send ON delayqueue_outbox (send_at);

-- The story of each message: changes of its state, in batches behind its way.
CREATE TABLE IF NOT EXISTS delayqueue_event (
    topic VARCHAR(200) COLLATE "C" NOT NULL,
    id VARCHAR(512) COLLATE "C" NOT NULL,
    event_time BIGINT NOT NULL,
    sequence_no BIGINT NOT NULL,
    generation VARCHAR(8) COLLATE "C" NOT NULL,
    from_status VARCHAR(12) COLLATE "C",
    to_status VARCHAR(12) COLLATE "C" NOT NULL,
    began BIGINT,
    attempt INTEGER,
    instance VARCHAR(200),
    error VARCHAR(2000),
    CONSTRAINT delayqueue_event_pk PRIMARY KEY (topic, id, event_time, sequence_no)
);
CREATE INDEX IF NOT EXISTS delayqueue_event_time ON delayqueue_event (event_time);

-- Messages that idempotent listeners handled.
CREATE TABLE IF NOT EXISTS delayqueue_inbox (
    topic VARCHAR(200) COLLATE "C" NOT NULL,
    id VARCHAR(512) COLLATE "C" NOT NULL,
    generation VARCHAR(8) COLLATE "C" NOT NULL,
    listener VARCHAR(255) COLLATE "C" NOT NULL,
    handled BIGINT NOT NULL,
    CONSTRAINT delayqueue_inbox_pk PRIMARY KEY (topic, id, generation, listener)
);
CREATE INDEX IF NOT EXISTS delayqueue_inbox_handled ON delayqueue_inbox (handled);

-- What each instance saw of a partition's counters in Redis: smaller ones show that Redis lost data.
CREATE TABLE IF NOT EXISTS delayqueue_partition (
    topic VARCHAR(200) COLLATE "C" NOT NULL,
    part INTEGER NOT NULL,
    instance VARCHAR(200) COLLATE "C" NOT NULL,
    epoch VARCHAR(40) COLLATE "C" NOT NULL,
    sent BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    CONSTRAINT delayqueue_partition_pk PRIMARY KEY (topic, part, instance)
);
CREATE INDEX IF NOT EXISTS delayqueue_partition_updated ON delayqueue_partition (updated);

-- Work that one instance at a time does: pruning, comparing, restoring.
CREATE TABLE IF NOT EXISTS delayqueue_lease (
    name VARCHAR(255) COLLATE "C" NOT NULL,
    owner VARCHAR(200),
    expires BIGINT NOT NULL,
    state VARCHAR(4000),
    CONSTRAINT delayqueue_lease_pk PRIMARY KEY (name)
);

CREATE TABLE IF NOT EXISTS delayqueue_schema (
    version INTEGER NOT NULL,
    CONSTRAINT delayqueue_schema_pk PRIMARY KEY (version)
);
INSERT INTO delayqueue_schema (version) VALUES (1) ON CONFLICT DO NOTHING;
