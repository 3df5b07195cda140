package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.relay.RedisTime;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalInstance;
import io.delayqueue.jdbc.support.JournalLoop;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.TransactionException;

/**
 * Writes the events of the {@link AuditBuffer} to the journal, in batches, on a thread of its own. A batch that fails is written again
 * until the database takes it. Events that no database can keep are dropped and counted.
 */
public final class AuditWriter implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private static final int LARGEST_BATCH = 1_000;

    /** A page that another transaction holds up must not hold up the other events each time. */
    private static final long PAGE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Clocks of two machines part by less than a millisecond in that time. */
    private static final Duration CLOCK_INTERVAL = Duration.ofSeconds(5);

    private final AuditBuffer buffer;
    private final RedisTime redisTime;
    private final AuditSettings settings;
    private final AuditBatch batches;
    private final DeletedTopics deletedTopics;
    /** When the next page of a deleted topic may be written. */
    private volatile long nextPageNanos = System.nanoTime();

    private final AuditGap gap;
    private final JournalLoop loop;
    private volatile List<AuditEvent> taken = List.of();
    private volatile List<TimedEvent> unwritten = List.of();

    /**
     * A writer that is not started yet.
     *
     * @param alongside writes more in the transaction of each batch, which may be repeated: what it writes is kept if the events are
     */
    public AuditWriter(
            JournalDatabase database,
            AuditBuffer buffer,
            RedisTime redisTime,
            AuditSettings settings,
            Consumer<List<AuditEvent>> alongside) {
        this.buffer = buffer;
        this.redisTime = redisTime;
        this.settings = settings;
        JournalTransaction transaction = new JournalTransaction(database.dataSource(), database.dialect());
        this.batches = new AuditBatch(database, transaction, alongside, JournalInstance.name());
        this.deletedTopics = new DeletedTopics(database, transaction);
        this.gap = new AuditGap(database, transaction);
        this.loop = new JournalLoop("delayqueue-audit", new JournalLoop.Pass() {
            @Override
            public void runOnce() throws InterruptedException {
                writeWaiting();
            }

            @Override
            public boolean isDone() {
                return taken.isEmpty() && unwritten.isEmpty() && buffer.size() == 0 && !isPageDue();
            }
        });
    }

    private void writeWaiting() throws InterruptedException {
        writeNext(loop.isClosed() ? Duration.ZERO : settings.flushInterval());
    }

    /** Starts the thread, again if it was closed. */
    public void start() {
        loop.start();
    }

    /** Writes all events that wait. For tests, while the thread does not run. */
    void writeAll() throws InterruptedException {
        do {
            writeNext(Duration.ZERO);
        } while (buffer.size() > 0 || deletedTopics.size() > 0);
    }

    /** Writes a batch of events, and then a page of what a deletion of a topic, which may have had millions of messages, ended. */
    void writeNext(Duration wait) throws InterruptedException {
        redisTime.refreshIfOlderThan(CLOCK_INTERVAL);
        if (unwritten.isEmpty()) {
            if (taken.isEmpty()) {
                taken = buffer.take(LARGEST_BATCH, isPageDue() ? 0 : wait.toNanos(), TimeUnit.NANOSECONDS);
            }
            if (!taken.isEmpty()) {
                unwritten = timed(taken);
                taken = List.of();
            }
        }
        if (!unwritten.isEmpty()) {
            write(unwritten);
            buffer.written(unwritten.size());
            unwritten = List.of();
        }
        gap.recordIfGrown(buffer.dropped());
        if (isPageDue()) {
            nextPageNanos = System.nanoTime() + PAGE_AGAIN_NANOS;
            writeOrSplit(deletedTopics.next());
            nextPageNanos = System.nanoTime();
        }
    }

    private boolean isPageDue() {
        return deletedTopics.size() > 0 && System.nanoTime() - nextPageNanos >= 0;
    }

    /** Times are fixed here, so that an event that is written twice is one. */
    private List<TimedEvent> timed(List<AuditEvent> events) {
        OptionalLong known = redisTime.estimate();
        long nowMicros = known.isPresent() ? known.getAsLong() : redisTime.past();
        long nowNanos = System.nanoTime();
        return events.stream()
                .map(event -> TimedEvent.of(event, nowMicros, nowNanos))
                .toList();
    }

    private void write(List<TimedEvent> batch) {
        writeOrSplit(
                batch.stream().filter(each -> !each.event().concernsTopic()).toList());
        batch.stream().filter(each -> each.event().concernsTopic()).forEach(deletedTopics::add);
    }

    /** A value that can't be kept, such as an id with a NUL character, must not spoil the events beside it. */
    private void writeOrSplit(List<TimedEvent> batch) {
        if (batch.isEmpty()) {
            return;
        }
        try {
            batches.write(batch);
        } catch (RuntimeException e) {
            if (isOfDatabase(e)) {
                throw e;
            }
            if (batch.size() == 1) {
                drop(batch.get(0).event(), e);
                return;
            }
            writeOrSplit(batch.subList(0, batch.size() / 2));
            writeOrSplit(batch.subList(batch.size() / 2, batch.size()));
        }
    }

    /** Whether another attempt may succeed. Else the batch has a value that the database or this code can't take. */
    private static boolean isOfDatabase(RuntimeException failure) {
        return failure instanceof TransactionException
                || failure instanceof DataAccessException && !(failure instanceof DataIntegrityViolationException);
    }

    private void drop(AuditEvent event, RuntimeException failure) {
        buffer.droppedElsewhere(1);
        log.warn(
                "The journal can't keep an event of message '{}' of topic '{}': {}",
                event.id().replace('\0', '\ufffd'),
                event.topic(),
                failure.toString());
    }

    /** Number of events that were taken from the buffer and are not known to be written. */
    public int unwritten() {
        return taken.size() + unwritten.size() + deletedTopics.size();
    }

    /** Whether the last batch failed: the database is unavailable, and events wait in memory. */
    public boolean isFailing() {
        return loop.isFailing();
    }

    /** Whether it was started and not closed. */
    public boolean isRunning() {
        return loop.isRunning();
    }

    /** Writes what waits, for a few seconds at most, and ends the thread. It may be started again. */
    @Override
    public void close() {
        loop.close();
        int left = buffer.size() + unwritten();
        if (left > 0) {
            log.warn(
                    "The audit trail stops with {} unwritten events: the journal's rows of their messages are out of date",
                    left);
        }
    }
}
