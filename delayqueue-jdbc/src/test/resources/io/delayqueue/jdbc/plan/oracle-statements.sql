-- Statements of the journal on Oracle. NOW stands for the expression of the time.

DELETE FROM delayqueue_event r
    WHERE r.event_time >= ? AND r.event_time < ? AND ROWNUM <= 1000;

DELETE FROM delayqueue_inbox
    WHERE topic = ? AND id = ? AND generation = ? AND listener = ?;

DELETE FROM delayqueue_inbox r
    WHERE r.handled >= ? AND r.handled < ? AND ROWNUM <= 1000;

DELETE FROM delayqueue_lease
    WHERE name = ?;

DELETE FROM delayqueue_lease
    WHERE name = ? AND owner = ?;

DELETE FROM delayqueue_message r
    WHERE NOT EXISTS (SELECT 1 FROM delayqueue_outbox o
    WHERE o.topic = r.topic AND o.id = r.id) AND r.status = ? AND r.finished >= ? AND r.finished < ? AND ROWNUM <= 1000;

DELETE FROM delayqueue_outbox
    WHERE topic = ? AND id = ?;

DELETE FROM delayqueue_partition
    WHERE topic = ?;

DELETE FROM delayqueue_partition
    WHERE topic = ? AND part = ? AND instance = ?;

DELETE FROM delayqueue_partition
    WHERE topic = ? AND part = ? AND instance = ? AND epoch = ?;

DELETE FROM delayqueue_partition
    WHERE topic = ? AND part = ? AND instance = ? AND updated = ?;

INSERT INTO delayqueue_inbox (topic, id, generation, listener, handled)
    VALUES (?, ?, ?, ?, NOW);

INSERT INTO delayqueue_partition (topic, part, instance, epoch, sent, ended, updated)
    VALUES (?, ?, ?, ?, ?, ?, NOW);

MERGE INTO delayqueue_event o
    USING (SELECT ? AS topic, ? AS id, ? AS event_time, ? AS sequence_no, ? AS generation, ? AS from_status, ? AS to_status, ? AS began, ? AS attempt, ? AS instance, ? AS error FROM dual) n
    ON ( o.topic = n.topic AND o.id = n.id AND o.event_time = n.event_time AND o.sequence_no = n.sequence_no)
    WHEN NOT MATCHED THEN INSERT (topic, id, event_time, sequence_no, generation, from_status, to_status, began, attempt, instance, error)
    VALUES (n.topic, n.id, n.event_time, n.sequence_no, n.generation, n.from_status, n.to_status, n.began, n.attempt, n.instance, n.error);

MERGE INTO delayqueue_lease o
    USING (SELECT ? AS name FROM dual) n
    ON ( o.name = n.name)
    WHEN NOT MATCHED THEN INSERT (name, expires)
    VALUES (n.name, 0);

MERGE INTO delayqueue_lease o
    USING (SELECT ? AS name, ? AS expires FROM dual) n
    ON ( o.name = n.name)
    WHEN MATCHED THEN UPDATE
    SET expires = n.expires
    WHEN NOT MATCHED THEN INSERT (name, expires)
    VALUES (n.name, n.expires);

MERGE INTO delayqueue_lease o
    USING (SELECT ? AS name, ? AS state FROM dual) n
    ON ( o.name = n.name)
    WHEN NOT MATCHED THEN INSERT (name, expires, state)
    VALUES (n.name, 0, n.state);

MERGE INTO delayqueue_message o
    USING (SELECT ? AS topic, ? AS id, ? AS generation, ? AS priority, ? AS max_attempts, ? AS time_to_live, ? AS duplicates, ? AS due, ? AS relative, ? AS due_is_instant, ? AS former_uses, ? AS business_key, ? AS headers, ? AS payload FROM dual) n
    ON ( o.topic = n.topic AND o.id = n.id AND o.generation = n.generation)
    WHEN MATCHED THEN UPDATE
    SET finished = CASE WHEN o.status IN ('REJECTED', 'KEPT') THEN NULL ELSE o.finished END, created = CASE WHEN o.status IN ('REJECTED', 'KEPT') THEN NOW + n.former_uses ELSE o.created END, due = CASE WHEN o.status IN ('REJECTED', 'KEPT') THEN n.due + n.relative * (NOW) ELSE o.due END, status = CASE WHEN o.status IN ('REJECTED', 'KEPT') THEN 'OUTBOX' ELSE o.status END
    WHEN NOT MATCHED THEN INSERT (topic, id, generation, status, attempts, priority, max_attempts, time_to_live, duplicates, due, due_is_instant, created, updated, business_key, headers, payload)
    VALUES (n.topic, n.id, n.generation, 'OUTBOX', 0, n.priority, n.max_attempts, n.time_to_live, n.duplicates, n.due + n.relative * (NOW), n.due_is_instant, NOW + n.former_uses, NOW, n.business_key, n.headers, n.payload);

MERGE INTO delayqueue_outbox o
    USING (SELECT ? AS topic, ? AS id, ? AS generation, ? AS operations, ? AS changes, ? AS sender, ? AS trace FROM dual) n
    ON ( o.topic = n.topic AND o.id = n.id)
    WHEN MATCHED THEN UPDATE
    SET operations = CONCAT(o.operations, n.operations), changes = o.changes + n.changes, trace = COALESCE(n.trace, o.trace), generation = COALESCE(n.generation, o.generation)
    WHEN NOT MATCHED THEN INSERT (topic, id, send_at, created, failures, generation, operations, changes, sender, trace)
    VALUES (n.topic, n.id, NOW + 10000000, NOW, 0, n.generation, n.operations, n.changes, n.sender, n.trace);

MERGE INTO delayqueue_outbox o
    USING (SELECT ? AS topic, ? AS id, ? AS generation, ? AS operations, ? AS sender FROM dual) n
    ON ( o.topic = n.topic AND o.id = n.id)
    WHEN NOT MATCHED THEN INSERT (topic, id, generation, operations, changes, sender, send_at, created, failures)
    VALUES (n.topic, n.id, n.generation, n.operations, 1, n.sender, NOW, NOW, 0);

MERGE INTO delayqueue_outbox o
    USING (SELECT ? AS topic, ? AS id, ? AS operations, ? AS delay, ? AS changes, ? AS sender, ? AS trace FROM dual) n
    ON ( o.topic = n.topic AND o.id = n.id)
    WHEN MATCHED THEN UPDATE
    SET operations = CONCAT(o.operations, CONCAT(CONCAT(n.operations, n.delay + NOW), ';')), changes = o.changes + n.changes, trace = COALESCE(n.trace, o.trace)
    WHEN NOT MATCHED THEN INSERT (topic, id, send_at, created, failures, operations, changes, sender, trace)
    VALUES (n.topic, n.id, NOW + 10000000, NOW, 0, CONCAT(CONCAT(n.operations, n.delay + NOW), ';'), n.changes, n.sender, n.trace);

MERGE INTO delayqueue_partition o
    USING (SELECT ? AS topic, ? AS part, ? AS instance FROM dual) n
    ON ( o.topic = n.topic AND o.part = n.part AND o.instance = n.instance)
    WHEN MATCHED THEN UPDATE
    SET sent = NOW, updated = NOW
    WHEN NOT MATCHED THEN INSERT (topic, part, instance, epoch, sent, ended, updated)
    VALUES (n.topic, n.part, n.instance, '-', NOW, 0, NOW);

MERGE INTO delayqueue_partition o
    USING (SELECT ? AS topic, ? AS part, ? AS instance, ? AS epoch, ? AS sent, ? AS ended FROM dual) n
    ON ( o.topic = n.topic AND o.part = n.part AND o.instance = n.instance)
    WHEN MATCHED THEN UPDATE
    SET sent = CASE WHEN o.epoch = n.epoch AND o.sent > n.sent THEN o.sent ELSE n.sent END, ended = CASE WHEN o.epoch = n.epoch AND o.ended > n.ended THEN o.ended ELSE n.ended END, updated = NOW, epoch = n.epoch
    WHEN NOT MATCHED THEN INSERT (topic, part, instance, epoch, sent, ended, updated)
    VALUES (n.topic, n.part, n.instance, n.epoch, n.sent, n.ended, NOW);

MERGE INTO delayqueue_partition o
    USING (SELECT ? AS topic, ? AS part, ? AS instance, ? AS epoch, ? AS sent, ? AS ended FROM dual) n
    ON ( o.topic = n.topic AND o.part = n.part AND o.instance = n.instance)
    WHEN NOT MATCHED THEN INSERT (topic, part, instance, epoch, sent, ended, updated)
    VALUES (n.topic, n.part, n.instance, n.epoch, n.sent, n.ended, NOW);

SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 101 ROWS ONLY) state0;

SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state0 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state1 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state2 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state3 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state4 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state5 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state6 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state7 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state8 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state9 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state10 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state11 UNION ALL SELECT * FROM (SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due < ? AND (due > ? OR id > ? OR (id = ? AND generation > ?))
    ORDER BY due, id, generation FETCH FIRST 2 ROWS ONLY) state12;

SELECT COUNT(*) FROM (SELECT id FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due <= ? FETCH FIRST 100000 ROWS ONLY) c;

SELECT MAX(version) FROM delayqueue_schema;

SELECT NOW FROM delayqueue_schema;

SELECT changes FROM delayqueue_outbox FETCH FIRST 1 ROWS ONLY;

SELECT created FROM delayqueue_outbox
    WHERE send_at < ?
    ORDER BY send_at DESC FETCH FIRST 100 ROWS ONLY;

SELECT created FROM delayqueue_outbox
    WHERE send_at < ?
    ORDER BY send_at FETCH FIRST 100 ROWS ONLY;

SELECT event_time, generation, from_status, to_status, began, attempt, instance, error FROM delayqueue_event
    WHERE topic = ? AND id = ?
    ORDER BY event_time DESC, sequence_no DESC FETCH FIRST 1001 ROWS ONLY;

SELECT expires - NOW FROM delayqueue_lease
    WHERE name = ?;

SELECT expires FROM delayqueue_lease
    WHERE name = ?;

SELECT id FROM delayqueue_outbox
    WHERE send_at = ? AND CONCAT(topic, '') = ? FETCH FIRST 500 ROWS ONLY;

SELECT id FROM delayqueue_outbox
    WHERE topic = ? AND id = ?;

SELECT id FROM delayqueue_outbox
    WHERE topic = ? AND id = ? AND sender = ?;

SELECT id, generation FROM delayqueue_message
    WHERE status = ? AND topic = ? AND updated <= ?
    ORDER BY due, id FETCH FIRST 500 ROWS ONLY;

SELECT id, generation, status, due, due_is_instant, created, updated, state_time, finished FROM delayqueue_message
    WHERE status = ? AND topic = ? AND due >= ? AND due <= ? AND (due > ? OR id > ?)
    ORDER BY due, id FETCH FIRST 512 ROWS ONLY;

SELECT id, generation, status, due, due_is_instant, created, updated, state_time, finished FROM delayqueue_message
    WHERE topic = ? AND id = ?;

SELECT part, instance, epoch, sent, ended FROM delayqueue_partition
    WHERE topic = ?;

SELECT part, instance, epoch, sent, ended FROM delayqueue_partition
    WHERE topic = ? AND part = -1;

SELECT part, instance, epoch, sent, ended FROM delayqueue_partition
    WHERE topic = ? AND part = ? FOR UPDATE;

SELECT r.event_time FROM delayqueue_event r
    WHERE r.event_time >= ? AND r.event_time < ?
    ORDER BY r.event_time FETCH FIRST 1 ROWS ONLY;

SELECT r.finished FROM delayqueue_message r
    WHERE NOT EXISTS (SELECT 1 FROM delayqueue_outbox o
    WHERE o.topic = r.topic AND o.id = r.id) AND r.status = ? AND r.finished >= ? AND r.finished < ?
    ORDER BY r.finished FETCH FIRST 1 ROWS ONLY;

SELECT r.handled FROM delayqueue_inbox r
    WHERE r.handled >= ? AND r.handled < ?
    ORDER BY r.handled FETCH FIRST 1 ROWS ONLY;

SELECT send_at FROM delayqueue_outbox
    WHERE send_at >= ? AND send_at <= ?
    ORDER BY send_at FETCH FIRST 1 ROWS ONLY;

SELECT state FROM delayqueue_lease
    WHERE name = ? AND state IS NOT NULL;

SELECT topic FROM delayqueue_message
    WHERE status = ? AND topic > ?
    ORDER BY topic FETCH FIRST 1 ROWS ONLY;

SELECT topic, id FROM delayqueue_outbox
    WHERE send_at > ? AND send_at < ?
    ORDER BY send_at FETCH FIRST 10 ROWS ONLY;

SELECT topic, id FROM delayqueue_outbox
    WHERE send_at > ? AND send_at < ?
    ORDER BY send_at FETCH FIRST 10000 ROWS ONLY;

SELECT topic, id, error, failures, trace FROM delayqueue_outbox
    WHERE send_at = ? FETCH FIRST 10 ROWS ONLY;

SELECT topic, id, error, failures, trace FROM delayqueue_outbox
    WHERE send_at = ? FETCH FIRST 1000 ROWS ONLY;

SELECT topic, id, generation, priority, max_attempts, time_to_live, duplicates, due, due_is_instant, finished, headers, payload, NOW AS now_micros FROM delayqueue_message
    WHERE topic = ? AND id = ? AND generation = ?;

SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE business_key = ? AND created >= ? AND created < ? AND (created > ? OR topic > ? OR (topic = ? AND (id > ? OR (id = ? AND generation > ?))))
    ORDER BY created, topic, id, generation FETCH FIRST 2 ROWS ONLY;

SELECT topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created, updated, finished, reason, business_key, headers FROM delayqueue_message
    WHERE topic = ? AND id = ?
    ORDER BY created DESC, updated DESC, generation FETCH FIRST 101 ROWS ONLY;

SELECT topic, id, generation, status, created, updated FROM delayqueue_message
    WHERE topic = ? AND id = ?;

SELECT topic, id, operations, changes, failures, send_at FROM delayqueue_outbox
    WHERE send_at >= ? AND send_at <= ?
    ORDER BY send_at FETCH FIRST 500 ROWS ONLY;

SELECT topic, id, operations, changes, failures, send_at FROM delayqueue_outbox
    WHERE topic = ? AND id = ?;

SELECT topic, id, operations, changes, failures, send_at FROM delayqueue_outbox
    WHERE topic = ? AND id = ? AND sender = ?;

SELECT topic, id, operations, changes, failures, send_at FROM delayqueue_outbox
    WHERE topic = ? AND id = ? FOR UPDATE SKIP LOCKED;

SELECT topic, id, sender, send_at FROM delayqueue_outbox
    WHERE send_at >= ? AND send_at <= ?
    ORDER BY send_at FETCH FIRST 10 ROWS ONLY;

SELECT topic, instance, updated FROM delayqueue_partition
    WHERE topic > ?
    ORDER BY topic, part, instance FETCH FIRST 500 ROWS ONLY;

SELECT topic, part, epoch FROM delayqueue_partition
    WHERE topic = ? AND instance = ? AND part IN (? …);

SELECT topic, part, epoch FROM delayqueue_partition
    WHERE topic = ? AND instance = ? AND part IN (? …) FOR UPDATE;

SELECT topic, part, instance, epoch, sent, ended, updated FROM delayqueue_partition
    WHERE topic = ? AND part = ? AND epoch = ?;

SELECT topic, part, instance, epoch, sent, ended, updated FROM delayqueue_partition
    WHERE updated < ?
    ORDER BY updated OFFSET 0 ROWS FETCH FIRST 1000 ROWS ONLY;

UPDATE delayqueue_lease
    SET owner = ?, expires = NOW + ?
    WHERE name = ? AND (owner IS NULL OR owner = ? OR expires < NOW OR expires > NOW + ?);

UPDATE delayqueue_lease
    SET state = ?
    WHERE name = ?;

UPDATE delayqueue_message
    SET due = ?
    WHERE topic = ? AND id = ? AND generation = ? AND due = ? AND finished IS NULL;

UPDATE delayqueue_message
    SET status = 'DEAD', finished = NOW, updated = NOW, state_time = ?
    WHERE topic = ? AND id = ? AND generation = ? AND state_time = ? AND finished IS NULL AND status IN ('SCHEDULED', 'IN_FLIGHT');

UPDATE delayqueue_message
    SET status = 'SCHEDULED', finished = NULL, due = NOW, due_is_instant = 0, updated = NOW
    WHERE topic = ? AND id = ? AND generation = ?;

UPDATE delayqueue_message
    SET status = 'UNRECORDED', finished = NOW, updated = NOW
    WHERE finished IS NULL AND status IN ('SCHEDULED', 'IN_FLIGHT') AND topic = ? AND id = ? AND generation = ?;

UPDATE delayqueue_message
    SET status = ?, attempts = ?, updated = ?, finished = ?, reason = NULL, state_time = ?, state_sequence = ?
    WHERE status <> 'ACKED' AND topic = ? AND id = ? AND generation = ?;

UPDATE delayqueue_message
    SET status = ?, attempts = COALESCE(?, attempts), due = COALESCE(?, due), due_is_instant = COALESCE(?, due_is_instant), updated = GREATEST(updated, ?), finished = ?, reason = ?, state_time = ?, state_sequence = ?
    WHERE topic = ? AND id = ? AND generation = ? AND status IN ('OUTBOX', 'BLOCKED', 'SCHEDULED', 'IN_FLIGHT', 'DEAD', 'UNRECORDED');

UPDATE delayqueue_message
    SET status = ?, attempts = COALESCE(?, attempts), due = COALESCE(?, due), due_is_instant = COALESCE(?, due_is_instant), updated = GREATEST(updated, ?), finished = ?, reason = ?, state_time = ?, state_sequence = ?
    WHERE topic = ? AND id = ? AND generation = ? AND status IN ('OUTBOX', 'BLOCKED', 'SCHEDULED', 'IN_FLIGHT', 'DEAD', 'UNRECORDED') AND (state_time < ? OR (state_time = ? AND state_sequence < ?));

UPDATE delayqueue_message
    SET status = ?, attempts = COALESCE(?, attempts), due = COALESCE(?, due), due_is_instant = COALESCE(?, due_is_instant), updated = GREATEST(updated, ?), finished = ?, reason = ?, state_time = ?, state_sequence = ?
    WHERE topic = ? AND id = ? AND generation = ? AND status IN ('SCHEDULED', 'IN_FLIGHT', 'DEAD') AND updated <= ?;

UPDATE delayqueue_message
    SET status = ?, attempts = COALESCE(?, attempts), due = COALESCE(?, due), due_is_instant = COALESCE(?, due_is_instant), updated = GREATEST(updated, ?), finished = ?, reason = ?, state_time = ?, state_sequence = ?
    WHERE topic = ? AND id = ? AND generation = ? AND status IN ('SCHEDULED', 'IN_FLIGHT', 'DEAD') AND updated <= ? AND (state_time < ? OR (state_time = ? AND state_sequence < ?));

UPDATE delayqueue_message
    SET updated = NOW, due = ?, due_is_instant = ?
    WHERE topic = ? AND id = ? AND (finished IS NULL OR status = 'DEAD') AND status NOT IN ('OUTBOX', 'BLOCKED') AND finished IS NULL;

UPDATE delayqueue_message
    SET updated = NOW, due = ?, due_is_instant = ?, status = CASE status WHEN 'DEAD' THEN 'SCHEDULED' ELSE status END, finished = NULL
    WHERE topic = ? AND id = ? AND (finished IS NULL OR status = 'DEAD') AND status NOT IN ('OUTBOX', 'BLOCKED');

UPDATE delayqueue_message
    SET updated = NOW, status = 'SCHEDULED'
    WHERE status IN ('OUTBOX', 'BLOCKED') AND topic = ? AND id = ? AND generation = ?;

UPDATE delayqueue_message
    SET updated = NOW, status = ?
    WHERE topic = ? AND id = ? AND status = ?;

UPDATE delayqueue_message
    SET updated = NOW, status = ?, finished = NOW
    WHERE topic = ? AND id = ? AND (finished IS NULL OR status = 'DEAD') AND status NOT IN ('OUTBOX', 'BLOCKED');

UPDATE delayqueue_message
    SET updated = NOW, status = ?, finished = NOW
    WHERE topic = ? AND id = ? AND (finished IS NULL OR status = 'DEAD') AND status NOT IN ('OUTBOX', 'BLOCKED') AND generation NOT IN (? …);

UPDATE delayqueue_message
    SET updated = NOW, status = ?, finished = NOW
    WHERE topic = ? AND id = ? AND generation = ? AND status IN ('OUTBOX', 'BLOCKED');

UPDATE delayqueue_outbox
    SET failures = 0, error = NULL, send_at = ?
    WHERE topic = ? AND id = ? AND send_at = ?;

UPDATE delayqueue_outbox
    SET failures = ?, send_at = ?, error = ?
    WHERE topic = ? AND id = ?;

UPDATE delayqueue_outbox
    SET failures = ?, send_at = NOW + ?, error = ?
    WHERE topic = ? AND id = ?;

UPDATE delayqueue_outbox
    SET operations = ?, changes = ?, failures = 0, error = NULL
    WHERE topic = ? AND id = ?;

UPDATE delayqueue_outbox
    SET send_at = ?
    WHERE topic = ? AND id = ? AND send_at > ? AND send_at < ?;

UPDATE delayqueue_outbox
    SET send_at = ?
    WHERE topic = ? AND id = ? AND send_at > ? AND sender = ?;

UPDATE delayqueue_outbox
    SET sender = ?, send_at = ?
    WHERE topic = ? AND id = ?;

UPDATE delayqueue_partition
    SET ended = ?
    WHERE topic = ? AND part = ? AND instance = ? AND epoch = ?;

UPDATE delayqueue_partition
    SET epoch = ?, sent = 0, updated = NOW
    WHERE topic = ? AND part = ? AND instance = ? AND epoch = ?;

UPDATE delayqueue_partition
    SET sent = ?
    WHERE topic = ? AND part = ? AND instance = ?;
