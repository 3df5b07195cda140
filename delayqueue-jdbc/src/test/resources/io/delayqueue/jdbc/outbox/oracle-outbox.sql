MERGE INTO delayqueue_outbox o
    USING (SELECT ? AS topic, ? AS id, ? AS generation, ? AS operations, ? AS changes, ? AS claim, ? AS trace FROM dual) n
    ON (o.topic = n.topic AND o.id = n.id)
    WHEN MATCHED THEN UPDATE SET operations = CONCAT(o.operations, n.operations), changes = o.changes + n.changes, trace = COALESCE(n.trace, o.trace), generation = COALESCE(n.generation, o.generation)
    WHEN NOT MATCHED THEN INSERT (topic, id, send_at, created, failures, generation, operations, changes, claim, trace)
    VALUES (n.topic, n.id, NOW_IN_MICROS + 10000000, NOW_IN_MICROS, 0, n.generation, n.operations, n.changes, n.claim, n.trace);

MERGE INTO delayqueue_message o
    USING (SELECT ? AS topic, ? AS id, ? AS generation, ? AS priority, ? AS max_attempts, ? AS time_to_live, ? AS duplicates, ? AS due, ? AS relative, ? AS due_is_instant, ? AS business_key, ? AS headers, ? AS payload FROM dual) n
    ON (o.topic = n.topic AND o.id = n.id AND o.generation = n.generation)
    WHEN MATCHED THEN UPDATE SET finished = CASE WHEN o.status IN ('REJECTED', 'KEPT') THEN NULL ELSE o.finished END, due = CASE WHEN o.status IN ('REJECTED', 'KEPT') THEN n.due + n.relative * (NOW_IN_MICROS) ELSE o.due END, status = CASE WHEN o.status IN ('REJECTED', 'KEPT') THEN 'OUTBOX' ELSE o.status END
    WHEN NOT MATCHED THEN INSERT (topic, id, generation, status, attempts, priority, max_attempts, time_to_live, duplicates, due, due_is_instant, created, updated, business_key, headers, payload)
    VALUES (n.topic, n.id, n.generation, 'OUTBOX', 0, n.priority, n.max_attempts, n.time_to_live, n.duplicates, n.due + n.relative * (NOW_IN_MICROS), n.due_is_instant, NOW_IN_MICROS, NOW_IN_MICROS, n.business_key, n.headers, n.payload);

MERGE INTO delayqueue_outbox o
    USING (SELECT ? AS topic, ? AS id, ? AS operations, ? AS delay, ? AS changes, ? AS claim, ? AS trace FROM dual) n
    ON (o.topic = n.topic AND o.id = n.id)
    WHEN MATCHED THEN UPDATE SET operations = CONCAT(o.operations, CONCAT(CONCAT(n.operations, n.delay + NOW_IN_MICROS), ';')), changes = o.changes + n.changes, trace = COALESCE(n.trace, o.trace)
    WHEN NOT MATCHED THEN INSERT (topic, id, send_at, created, failures, operations, changes, claim, trace)
    VALUES (n.topic, n.id, NOW_IN_MICROS + 10000000, NOW_IN_MICROS, 0, CONCAT(CONCAT(n.operations, n.delay + NOW_IN_MICROS), ';'), n.changes, n.claim, n.trace);
