-- The journal of delayqueue, schema version 1, for Oracle 19c and later. The project has no Oracle to test it on.
-- Times are microseconds since 1970 UTC. Run it once: before 23ai, Oracle knows no IF NOT EXISTS.

-- One row a message. A message whose schedule was not sent to Redis yet has a row in delayqueue_outbox too.
CREATE TABLE delayqueue_message (
    topic VARCHAR2(800 BYTE) NOT NULL,
    id VARCHAR2(512 BYTE) NOT NULL,
    generation VARCHAR2(8 CHAR) NOT NULL,
    status VARCHAR2(12 CHAR) NOT NULL,
    attempts NUMBER(10) NOT NULL,
    priority NUMBER(5) NOT NULL,
    max_attempts NUMBER(10),
    time_to_live NUMBER(19),
    duplicates VARCHAR2(8 CHAR) NOT NULL,
    due NUMBER(19) NOT NULL,
    due_is_instant NUMBER(5) NOT NULL,
    created NUMBER(19) NOT NULL,
    updated NUMBER(19) NOT NULL,
    finished NUMBER(19),
    state_time NUMBER(19) DEFAULT 0 NOT NULL,
    state_sequence NUMBER(19) DEFAULT 0 NOT NULL,
    reason VARCHAR2(1000 CHAR),
    business_key VARCHAR2(1020 BYTE),
    headers CLOB,
    payload BLOB NOT NULL,
    CONSTRAINT delayqueue_message_pk PRIMARY KEY (topic, id, generation)
);
CREATE INDEX delayqueue_message_due ON delayqueue_message (status, topic, due, id);
CREATE INDEX delayqueue_message_finished ON delayqueue_message (status, finished);
CREATE INDEX delayqueue_message_key ON delayqueue_message (business_key, created);

-- One row for each id with changes that were not sent to Redis yet.
CREATE TABLE delayqueue_outbox (
    topic VARCHAR2(800 BYTE) NOT NULL,
    id VARCHAR2(512 BYTE) NOT NULL,
    generation VARCHAR2(8 CHAR),
    operations VARCHAR2(4000 BYTE) NOT NULL,
    changes NUMBER(10) NOT NULL,
    sender NUMBER(19) NOT NULL,
    send_at NUMBER(19) NOT NULL,
    created NUMBER(19) NOT NULL,
    failures NUMBER(10) NOT NULL,
    error VARCHAR2(1000 CHAR),
    trace VARCHAR2(255 CHAR),
    CONSTRAINT delayqueue_outbox_pk PRIMARY KEY (topic, id)
);
CREATE INDEX delayqueue_outbox_send ON delayqueue_outbox (send_at);

-- The story of each message: changes of its state, in batches behind its way.
CREATE TABLE delayqueue_event (
    topic VARCHAR2(800 BYTE) NOT NULL,
    id VARCHAR2(512 BYTE) NOT NULL,
    event_time NUMBER(19) NOT NULL,
    sequence_no NUMBER(19) NOT NULL,
    generation VARCHAR2(8 CHAR) NOT NULL,
    from_status VARCHAR2(12 CHAR),
    to_status VARCHAR2(12 CHAR) NOT NULL,
    began NUMBER(19),
    attempt NUMBER(10),
    instance VARCHAR2(200 CHAR),
    error VARCHAR2(2000 CHAR),
    CONSTRAINT delayqueue_event_pk PRIMARY KEY (topic, id, event_time, sequence_no)
);
CREATE INDEX delayqueue_event_time ON delayqueue_event (event_time);

-- Messages that idempotent listeners handled.
CREATE TABLE delayqueue_inbox (
    topic VARCHAR2(800 BYTE) NOT NULL,
    id VARCHAR2(512 BYTE) NOT NULL,
    generation VARCHAR2(8 CHAR) NOT NULL,
    listener VARCHAR2(1020 BYTE) NOT NULL,
    handled NUMBER(19) NOT NULL,
    CONSTRAINT delayqueue_inbox_pk PRIMARY KEY (topic, id, generation, listener)
);
CREATE INDEX delayqueue_inbox_handled ON delayqueue_inbox (handled);

-- What each instance saw of a partition's counters in Redis: smaller ones show that Redis lost data.
CREATE TABLE delayqueue_partition (
    topic VARCHAR2(800 BYTE) NOT NULL,
    part NUMBER(10) NOT NULL,
    instance VARCHAR2(200 CHAR) NOT NULL,
    epoch VARCHAR2(40 CHAR) NOT NULL,
    sent NUMBER(19) NOT NULL,
    ended NUMBER(19) NOT NULL,
    updated NUMBER(19) NOT NULL,
    CONSTRAINT delayqueue_partition_pk PRIMARY KEY (topic, part, instance)
);
CREATE INDEX delayqueue_partition_updated ON delayqueue_partition (updated);

-- Work that one instance at a time does: pruning, comparing, restoring.
CREATE TABLE delayqueue_lease (
    name VARCHAR2(255 CHAR) NOT NULL,
    owner VARCHAR2(200 CHAR),
    expires NUMBER(19) NOT NULL,
    state VARCHAR2(4000 BYTE),
    CONSTRAINT delayqueue_lease_pk PRIMARY KEY (name)
);

CREATE TABLE delayqueue_schema (
    version NUMBER(10) NOT NULL,
    CONSTRAINT delayqueue_schema_pk PRIMARY KEY (version)
);
INSERT INTO delayqueue_schema (version) VALUES (1);
