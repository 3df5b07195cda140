package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.restore.Difference.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a restore finds and does. One thread writes. */
final class RestoreTally {

    /** Examples of each kind. */
    private static final int MOST_EXAMPLES = 20;

    /** Topics that failed, as far as they are told. */
    private static final int MOST_FAILURES = 100;

    final AtomicLong scanned = new AtomicLong();
    final AtomicLong rescheduled = new AtomicLong();
    final AtomicLong dropped = new AtomicLong();
    final AtomicLong unrecorded = new AtomicLong();
    private final AtomicLong restored = new AtomicLong();
    private final AtomicLong ofAll;
    private final Map<Kind, Long> differences = new EnumMap<>(Kind.class);
    private final List<Difference> examples = new ArrayList<>();
    private final Map<String, String> failures = new TreeMap<>();
    private long waiting;

    /** @param ofAll counts messages of all restores that are scheduled again, as soon as they are */
    RestoreTally(AtomicLong ofAll) {
        this.ofAll = ofAll;
    }

    void found(Kind kind, String topic, String id, String generation, String text) {
        long count = differences.merge(kind, 1L, Long::sum);
        if (count <= MOST_EXAMPLES) {
            examples.add(new Difference(kind, topic, id, generation, text));
        }
    }

    void restored(long count) {
        restored.addAndGet(count);
        ofAll.addAndGet(count);
    }

    long restored() {
        return restored.get();
    }

    /** The number of messages that are left to the outbox. */
    void waiting(long count) {
        waiting = count;
    }

    void failed(String topic, String reason) {
        if (failures.size() < MOST_FAILURES) {
            failures.put(topic, reason);
        }
    }

    RestoreReport report(boolean dryRun) {
        return new RestoreReport(
                dryRun,
                scanned.get(),
                differences,
                restored.get(),
                rescheduled.get(),
                dropped.get(),
                unrecorded.get(),
                waiting,
                failures,
                examples);
    }
}
