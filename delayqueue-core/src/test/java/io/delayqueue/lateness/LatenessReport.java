package io.delayqueue.lateness;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueue;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How late messages are at 1,000 a second, beside a bare loop that polls the sorted set every millisecond. Both in turn on
 * one Redis, open loop: message n is due at start + n ms, whatever became of the others. Server and client share the
 * machine's clock, so entry minus due time is the lateness. The first seconds of each warm the JVM up and don't count.
 *
 * <p>Run it with {@code mvn -pl delayqueue-core -am test -Dtest=LatenessReport -Dtest.tags.excluded=
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("measurement")
class LatenessReport {

    private static final int PER_SECOND = 1000;
    private static final int WARM_UP = 10 * PER_SECOND;
    private static final int MEASURED = 20 * PER_SECOND;
    private static final int ROUNDS = 3;

    @Test
    void atAThousandMessagesASecond() throws Exception {
        try (EmbeddedRedis server = EmbeddedRedis.start()) {
            RedisClient client = RedisClient.create(server.uri());
            try {
                for (int round = 1; round <= ROUNDS; round++) {
                    print(round, "delayqueue", withDelayQueue(client));
                    print(round, "bare polling loop", withBareLoop(client));
                }
            } finally {
                client.shutdown(0, 1, TimeUnit.SECONDS);
            }
        }
    }

    private static long[] withDelayQueue(RedisClient client) throws InterruptedException {
        long[] micros = new long[WARM_UP + MEASURED];
        CountDownLatch done = new CountDownLatch(micros.length);
        try (DelayQueue queue = DelayQueue.create(client, DelayQueueOptions.defaults())) {
            queue.subscribe("lateness", ConsumerOptions.defaults(), (message, delivery) -> {
                        micros[Integer.parseInt(message.id())] =
                                ChronoUnit.MICROS.between(message.due(), Instant.now());
                        done.countDown();
                    })
                    .start();
            byte[] payload = new byte[100];
            openLoop(
                    micros.length,
                    (number, due) -> queue.scheduleAsync(OutgoingMessage.to("lateness")
                            .id(Integer.toString(number))
                            .dueAt(due)
                            .payload(payload)
                            .build()));
            assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();
        }
        return micros;
    }

    private static long[] withBareLoop(RedisClient client) throws InterruptedException {
        long[] micros = new long[WARM_UP + MEASURED];
        AtomicInteger left = new AtomicInteger(micros.length);
        var connection = client.connect();
        var redis = connection.sync();
        Thread loop = new Thread(() -> {
            while (left.get() > 0) {
                Instant now = Instant.now();
                for (String id : redis.zrangebyscore("bare", 0, epochMicros(now), 0, 100)) {
                    if (redis.zrem("bare", id) == 1) {
                        Instant due = Instant.EPOCH.plus(
                                Long.parseLong(id.substring(id.indexOf(':') + 1)), ChronoUnit.MICROS);
                        micros[Integer.parseInt(id.substring(0, id.indexOf(':')))] =
                                ChronoUnit.MICROS.between(due, Instant.now());
                        left.decrementAndGet();
                    }
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        });
        loop.start();
        try (var scheduling = client.connect()) {
            openLoop(
                    micros.length,
                    (number, due) -> scheduling
                            .async()
                            .zadd("bare", epochMicros(due), number + ":" + String.format("%.0f", epochMicros(due))));
            loop.join(TimeUnit.MINUTES.toMillis(1));
        }
        assertThat(left).hasValue(0);
        connection.close();
        return micros;
    }

    private static double epochMicros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    /** Schedules message n two seconds before it is due, all on a fixed timeline. */
    private static void openLoop(int count, Scheduling scheduling) {
        Instant first = Instant.now().plus(Duration.ofSeconds(2)).truncatedTo(ChronoUnit.MICROS);
        long startNanos = System.nanoTime();
        for (int number = 0; number < count; number++) {
            long at = startNanos + TimeUnit.SECONDS.toNanos(1) / PER_SECOND * number;
            while (at - System.nanoTime() > 0) {
                LockSupport.parkNanos(at - System.nanoTime());
            }
            scheduling.schedule(
                    number,
                    first.plus(Duration.ofSeconds(1).dividedBy(PER_SECOND).multipliedBy(number)));
        }
    }

    private static void print(int round, String name, long[] micros) {
        long[] sorted = Arrays.copyOfRange(micros, WARM_UP, micros.length);
        Arrays.sort(sorted);
        System.out.printf(
                "round %d, %s: p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, max %.2f ms, earliest %.3f ms%n",
                round,
                name,
                sorted[sorted.length / 2] / 1000.0,
                sorted[sorted.length * 99 / 100] / 1000.0,
                sorted[sorted.length * 999 / 1000] / 1000.0,
                sorted[sorted.length - 1] / 1000.0,
                sorted[0] / 1000.0);
        assertThat(sorted[0]).as("never early").isNotNegative();
    }

    private interface Scheduling {
        void schedule(int number, Instant due);
    }
}
