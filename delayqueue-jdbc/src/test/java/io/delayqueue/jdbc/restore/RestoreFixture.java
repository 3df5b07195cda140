package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Delivery;
import io.delayqueue.OutboxOptions;
import io.delayqueue.PartitionMark;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.jdbc.relay.OutboxSettings;
import io.delayqueue.jdbc.relay.Relay;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A journal, a client with everything that restores, and a consumer whose acks are recorded as the audit does. Each delivery is checked:
 * none early, and none of a message whose ack was recorded.
 */
final class RestoreFixture extends RestoreRows implements AutoCloseable {

    /** Quick looks, so that tests need not wait. */
    static final RestoreSettings SETTINGS = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            100_000,
            Duration.ofMillis(500),
            Duration.ZERO,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofMillis(300));

    static final RestoreSettings REPORTING = new RestoreSettings(
            RestoreMode.REPORT,
            SETTINGS.rate(),
            SETTINGS.checkInterval(),
            SETTINGS.compareInterval(),
            SETTINGS.holdTimeout(),
            SETTINGS.checkTimeout(),
            SETTINGS.settleTime());

    final RedisClient lettuce;
    final DelayQueueClient client;
    final SeenMarks seen;
    final JournalRestore restore;
    final LossWatch watch;
    final Relay relay;
    final Queue<RedisLossDetectedEvent> losses = new ConcurrentLinkedQueue<>();
    final Queue<RestoreReport> reports = new ConcurrentLinkedQueue<>();
    final Map<String, AtomicInteger> delivered = new ConcurrentHashMap<>();
    final Queue<String> violations = new ConcurrentLinkedQueue<>();

    /** Ids whose acks are committed in the journal. */
    final Set<String> recordedAcks = ConcurrentHashMap.newKeySet();

    /** Whether acks reach the journal. */
    volatile boolean auditing = true;

    private final JournalClaimGate gate;
    private final ExecutorService audit = Executors.newSingleThreadExecutor();
    private final RedisCommands<String, String> redis;

    RestoreFixture(TestDatabase database, String redisUri) {
        this(database.withSchema().dataSource(), redisUri, SETTINGS, true);
    }

    RestoreFixture(TestDatabase database, String redisUri, RestoreSettings settings) {
        this(database.withSchema().dataSource(), redisUri, settings, true);
    }

    RestoreFixture(DataSource dataSource, String redisUri, RestoreSettings settings, boolean gated) {
        this(dataSource, redisUri, settings, gated, "here", 1);
    }

    /** One of several instances. */
    RestoreFixture(
            DataSource dataSource,
            String redisUri,
            RestoreSettings settings,
            boolean gated,
            String instance,
            int partitions) {
        super(dataSource);
        this.lettuce = RedisClient.create(redisUri);
        this.seen = new SeenMarks(database, instance);
        this.gate = new JournalClaimGate(this::restore, this::watch, settings);
        DelayQueueOptions.Builder options = DelayQueueOptions.builder()
                .guardInterval(Duration.ofMillis(200))
                .commandTimeout(Duration.ofSeconds(20)) // the machine may be busy
                .topic(TOPIC, TopicOptions.builder().partitions(partitions).build())
                .observer(new Audit());
        this.client = DelayQueueClient.create(lettuce, (gated ? options.claimGate(gate) : options).build());
        this.restore = new JournalRestore(client, database, seen, this::recording, settings, event -> {
            if (event instanceof RedisLossDetectedEvent loss) {
                losses.add(loss);
            } else if (event instanceof RestoreFinishedEvent finished) {
                reports.add(finished.report());
            }
        });
        this.watch = new LossWatch(restore, seen);
        this.relay = new Relay(database, client.outbox(OutboxOptions.DEFAULTS), watch, OutboxSettings.DEFAULTS);
        this.redis = lettuce.connect().sync();
    }

    /** Acks are recorded in turn. */
    BooleanSupplier recording() {
        Future<?> behind = audit.submit(() -> {});
        return behind::isDone;
    }

    /** Holds up the records of acks, until the latch is open. */
    void holdRecords(CountDownLatch latch) {
        audit.execute(() -> {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private JournalRestore restore() {
        return restore;
    }

    private LossWatch watch() {
        return watch;
    }

    RestoreFixture start() {
        relay.start();
        watch.start();
        return this;
    }

    RestoreFixture consume() {
        client.subscribe(
                        TOPIC,
                        ConsumerOptions.builder()
                                .concurrency(8)
                                // a delivery that a pause of the process repeats would look like one of a restore
                                .lease(Duration.ofSeconds(15))
                                .build(),
                        this::handle)
                .start();
        return this;
    }

    private void handle(ReceivedMessage message, Delivery delivery) {
        if (recordedAcks.contains(message.id())) {
            violations.add("delivered after its ack was recorded: " + message.id());
        }
        long now = redisMicros();
        long due = jdbc.sql("SELECT due FROM delayqueue_message WHERE topic = ? AND id = ? AND generation = ?")
                .params(name(TOPIC), name(message.id()), message.generation())
                .query(Long.class)
                .single();
        // the database's clock and Redis' are the machine's, read by two processes
        if (now < due - 2_000) {
            violations.add(message.id() + " is early by " + (due - now) + " µs");
        }
        delivered.computeIfAbsent(message.id(), id -> new AtomicInteger()).incrementAndGet();
    }

    /** As the audit: behind the message's way, in a transaction with the counters. */
    private final class Audit implements DelayQueueObserver {

        @Override
        public void marked(PartitionMark mark) {
            seen.note(mark);
        }

        @Override
        public void topicDeleting(String topic) {
            seen.topicDeleting(topic);
        }

        @Override
        public void acked(ReceivedMessage message) {
            ended(message.id(), message.generation(), "ACKED", () -> recordedAcks.add(message.id()));
        }

        @Override
        public void cancelled(String topic, String id) {
            ended(id, null, "CANCELLED", () -> {});
        }

        @Override
        public void deadLettered(String topic, String id, @Nullable String generation, int attempts, String error) {
            record(() -> becameDead(id));
        }

        @Override
        public void redriven(String topic, List<String> ids, Delay first, Duration between) {
            record(() -> ids.forEach(id -> revived(id)));
        }

        @Override
        public void purged(String topic, List<String> ids) {
            ids.forEach(id -> ended(id, null, "PURGED", () -> {}));
        }

        private void ended(String id, @Nullable String generation, String status, Runnable recorded) {
            record(() -> {
                transaction.run(() -> {
                    finish(id, generation, status);
                    seen.writeEnded(List.of(TOPIC));
                });
                recorded.run();
            });
        }

        private void record(Runnable event) {
            if (auditing) {
                audit.execute(event);
            }
        }
    }

    private void becameDead(String id) {
        jdbc.sql("UPDATE delayqueue_message SET status = 'DEAD', finished = "
                        + database.dialect().nowMicros() + ", state_time = ? WHERE topic = ? AND id = ?")
                .params(redisMicros(), name(TOPIC), name(id))
                .update();
    }

    private void revived(String id) {
        String now = database.dialect().nowMicros();
        jdbc.sql("UPDATE delayqueue_message SET status = 'SCHEDULED', finished = NULL, due = " + now
                        + ", state_time = ? WHERE topic = ? AND id = ?")
                .params(redisMicros(), name(TOPIC), name(id))
                .update();
    }

    private long redisMicros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /** Messages that are due become dead letters. */
    void deadLetterAll(int count) {
        try (Subscription failing =
                client.subscribe(TOPIC, ConsumerOptions.defaults(), (message, delivery) -> delivery.deadLetter("no"))) {
            failing.start();
            await().until(() -> client.stats(TOPIC).dead() == count);
        }
        if (auditing) {
            await().until(() -> count("status = 'DEAD'") == count);
        }
    }

    long scheduled() {
        return client.stats(TOPIC).pending().scheduled();
    }

    /** Redis has so many messages, with their bodies, and nothing is left to send. */
    void awaitAllScheduled(int count) {
        await().untilAsserted(() -> {
            assertThat(scheduled()).isEqualTo(count);
            assertThat(client.pending(TOPIC).list(1).get(0).bytes()).isPositive();
        });
        awaitSent();
    }

    /** Everything is finished in the journal, and Redis agrees. */
    void awaitAllDone() {
        await().untilAsserted(() -> {
            assertThat(violations).isEmpty();
            assertThat(count("finished IS NULL")).isZero();
        });
        await().ignoreExceptions().untilAsserted(() -> {
            TopicStats stats = client.stats(TOPIC);
            assertThat(stats.unaccounted()).isZero();
            assertThat(stats.pending().total()).isZero();
            assertThat(stats.inFlight()).isZero();
        });
        assertThat(violations).isEmpty();
    }

    /** Waits for a Redis that was restarted. */
    void awaitRedis() {
        await().ignoreExceptions().until(() -> redis.ping().equals("PONG"));
    }

    RedisCommands<String, String> redis() {
        return redis;
    }

    /** Acks that are left must not fail in the next test, whose database is another one. */
    private void endAudit() {
        audit.shutdownNow();
        try {
            assertThat(audit.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        watch.close();
        relay.close();
        client.close();
        gate.close();
        endAudit();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
