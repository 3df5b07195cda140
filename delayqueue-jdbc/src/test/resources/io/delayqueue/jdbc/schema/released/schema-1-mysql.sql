-- The journal of delayqueue, schema version 1, for MySQL 8 and later.
-- Times are microseconds since 1970 UTC. Names and ids are UTF-8 bytes: CONVERT(id USING utf8mb4) shows them as text.

-- One row a message. A message whose schedule was not sent to Redis yet has a row in delayqueue_outbox too.
CREATE TABLE IF NOT EXISTS delayqueue_message (
    topic VARBINARY(800) NOT NULL,
    id VARBINARY(512) NOT NULL,
    generation VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    status VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    attempts INTEGER NOT NULL,
    priority SMALLINT NOT NULL,
    max_attempts INTEGER,
    time_to_live BIGINT,
    duplicates VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    due BIGINT NOT NULL,
    due_is_instant SMALLINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    finished BIGINT,
    state_time BIGINT DEFAULT 0 NOT NULL,
    state_sequence BIGINT DEFAULT 0 NOT NULL,
    reason VARCHAR(1000),
    business_key VARBINARY(1020),
    headers LONGTEXT,
    payload LONGBLOB NOT NULL,
    CONSTRAINT delayqueue_message_pk PRIMARY KEY (topic, id, generation),
    INDEX delayqueue_message_due (status, topic, due, id),
    INDEX delayqueue_message_finished (status, finished),
    INDEX delayqueue_message_key (business_key, created)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- One row for each id with changes that were not sent to Redis yet.
CREATE TABLE IF NOT EXISTS delayqueue_outbox (
    topic VARBINARY(800) NOT NULL,
    id VARBINARY(512) NOT NULL,
    generation VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin,
    operations VARCHAR(4000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    changes INTEGER NOT NULL,
    sender BIGINT NOT NULL,
    send_at BIGINT NOT NULL,
    created BIGINT NOT NULL,
    failures INTEGER NOT NULL,
    error VARCHAR(1000),
    trace VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin,
    CONSTRAINT delayqueue_outbox_pk PRIMARY KEY (topic, id),
    INDEX delayqueue_outbox_send (send_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- The story of each message: changes of its state, in batches behind its way.
CREATE TABLE IF NOT EXISTS delayqueue_event (
    topic VARBINARY(800) NOT NULL,
    id VARBINARY(512) NOT NULL,
    event_time BIGINT NOT NULL,
    sequence_no BIGINT NOT NULL,
    generation VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    from_status VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin,
    to_status VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    began BIGINT,
    attempt INTEGER,
    instance VARBINARY(200),
    error VARCHAR(2000),
    CONSTRAINT delayqueue_event_pk PRIMARY KEY (topic, id, event_time, sequence_no),
    INDEX delayqueue_event_time (event_time)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- Messages that idempotent listeners handled.
CREATE TABLE IF NOT EXISTS delayqueue_inbox (
    topic VARBINARY(800) NOT NULL,
    id VARBINARY(512) NOT NULL,
    generation VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    listener VARBINARY(1020) NOT NULL,
    handled BIGINT NOT NULL,
    CONSTRAINT delayqueue_inbox_pk PRIMARY KEY (topic, id, generation, listener),
    INDEX delayqueue_inbox_handled (handled)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- What each instance saw of a partition's counters in Redis: smaller ones show that Redis lost data.
CREATE TABLE IF NOT EXISTS delayqueue_partition (
    topic VARBINARY(800) NOT NULL,
    part INTEGER NOT NULL,
    instance VARBINARY(200) NOT NULL,
    epoch VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    sent BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    CONSTRAINT delayqueue_partition_pk PRIMARY KEY (topic, part, instance),
    INDEX delayqueue_partition_updated (updated)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

-- Work that one instance at a time does: pruning, comparing, restoring.
CREATE TABLE IF NOT EXISTS delayqueue_lease (
    name VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    owner VARCHAR(200),
    expires BIGINT NOT NULL,
    state VARCHAR(4000),
    CONSTRAINT delayqueue_lease_pk PRIMARY KEY (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

CREATE TABLE IF NOT EXISTS delayqueue_schema (
    version INTEGER NOT NULL,
    CONSTRAINT delayqueue_schema_pk PRIMARY KEY (version)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;
INSERT INTO delayqueue_schema (version) VALUES (1) ON DUPLICATE KEY UPDATE version = version;
