package io.delayqueue.jdbc.relay;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.PartitionMark;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A relay in a process of its own, which stops at a step until it is sent a line. */
final class RelayProcess {

    /** Where the process stops. */
    enum Step {
        /** Rows are taken, and Redis is not called yet. */
        TAKEN,
        /** Behind Redis' answer, before it is recorded. */
        ANSWERED,
        /** In the transaction that records the answer, before its commit. */
        RECORDING,
        /** Behind the transaction that recorded the first batch, when the second one is to be sent. */
        RECORDED,
        /** Nowhere: it sends everything and ends. */
        NONE
    }

    private static final AtomicBoolean STOPPED = new AtomicBoolean();

    private RelayProcess() {}

    /** Arguments: URL of the database, URL of Redis, step, send timeout in ms, size of batches. */
    public static void main(String[] arguments) {
        Step step = Step.valueOf(arguments[2]);
        Duration sendTimeout = Duration.ofMillis(Long.parseLong(arguments[3]));
        OutboxSettings settings =
                new OutboxSettings(sendTimeout, Integer.parseInt(arguments[4]), Duration.ofMillis(100), 10, 10);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setMaximumPoolSize(3);
        try (HikariDataSource pool = new HikariDataSource(config);
                RedisClient lettuce = RedisClient.create(arguments[1]);
                DelayQueueClient client = DelayQueueClient.create(
                        lettuce,
                        DelayQueueOptions.builder()
                                .commandTimeout(Duration.ofSeconds(20))
                                .build())) {
            System.out.println("CLOCK " + Instant.now().getEpochSecond());
            WatchedOutbox outbox =
                    new WatchedOutbox(client.outbox(new OutboxOptions(sendTimeout, sendTimeout.multipliedBy(3))));
            outbox.beforeCall = operations -> stopAt(outbox.applied.isEmpty() ? Step.TAKEN : Step.RECORDED, step);
            // not if all came too late, since another process began with a newer time
            outbox.beforeReply = () -> stopAt(outbox.applied.isEmpty() ? Step.NONE : Step.ANSWERED, step);
            OutboxListener listener = new OutboxListener() {
                @Override
                public void sent(List<SentChange> changes, List<PartitionMark> marks) {
                    stopAt(Step.RECORDING, step);
                }
            };
            try (Relay relay = new Relay(new OutboxFixture(pool).database, outbox, listener, settings)) {
                System.out.println("SENT " + OutboxFixture.drain(relay));
            }
        }
    }

    private static void stopAt(Step here, Step wanted) {
        if (here == wanted && here != Step.NONE && STOPPED.compareAndSet(false, true)) {
            System.out.println(here);
            try {
                System.in.read();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
