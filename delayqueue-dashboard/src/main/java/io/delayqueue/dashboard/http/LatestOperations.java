package io.delayqueue.dashboard.http;

import io.delayqueue.spring.operator.OperatorEvent;
import io.delayqueue.spring.operator.OperatorListener;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The latest operations of this process, by the page or by others. Thread-safe. */
public final class LatestOperations implements OperatorListener {

    /** Maximum number of operations that are kept. */
    public static final int MAX_KEPT = 200;

    /** Names and errors are hostile texts. */
    private static final int MAX_CHARS = 300;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Row> latest = new ArrayDeque<>();

    private long number;

    record Row(
            long number,
            Instant time,
            String caller,
            String operation,
            String step,
            String topic,
            List<String> ids,
            String outcome,
            long count,
            @Nullable String error) {}

    @Override
    public void onOperation(OperatorEvent event) {
        String error = event.error();
        lock.lock();
        try {
            number++;
            Row row = new Row(
                    number,
                    Instant.now(),
                    bounded(event.caller()),
                    event.operation().name(),
                    event.step().name(),
                    bounded(event.topic()),
                    event.ids().stream().map(LatestOperations::bounded).toList(),
                    event.outcome().name(),
                    event.count(),
                    error == null ? null : bounded(error));
            if (latest.size() == MAX_KEPT) {
                latest.removeLast();
            }
            latest.addFirst(row);
        } finally {
            lock.unlock();
        }
    }

    List<Row> latestFirst() {
        lock.lock();
        try {
            return new ArrayList<>(latest);
        } finally {
            lock.unlock();
        }
    }

    private static String bounded(String text) {
        return text.length() <= MAX_CHARS ? text : text.substring(0, MAX_CHARS) + "…";
    }
}
