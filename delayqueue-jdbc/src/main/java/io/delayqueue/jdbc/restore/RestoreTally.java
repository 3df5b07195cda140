package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.restore.Difference.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a restore finds and does. One thread writes. */
final class RestoreTally {

    /** Examples of each kind. */
    private static final int MOST_EXAMPLES = 20;

    final AtomicLong scanned = new AtomicLong();
    final AtomicLong restored = new AtomicLong();
    final AtomicLong rescheduled = new AtomicLong();
    final AtomicLong dropped = new AtomicLong();
    final AtomicLong unrecorded = new AtomicLong();
    private final Map<Kind, Long> differences = new EnumMap<>(Kind.class);
    private final List<Difference> examples = new ArrayList<>();

    void found(Kind kind, String topic, String id, String generation, String text) {
        long count = differences.merge(kind, 1L, Long::sum);
        if (count <= MOST_EXAMPLES) {
            examples.add(new Difference(kind, topic, id, generation, text));
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
                examples);
    }
}
