package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A script of another program blocks Redis for longer than a lease: no message is handled again whose work was done. */
@Tag("slow")
class StalledRedisTests {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int CONCURRENCY = 10;
    private static final Duration STALL = LEASE.multipliedBy(2);
    /** Each that is too short makes the next one twice as long. */
    private static final int MOST_STALLS = 10;

    /** Neither a clock that runs within scripts nor a sleep is there on all servers. */
    private static final String BUSY_LOOP = "for i = 1, tonumber(ARGV[1]) do end";

    @RegisterExtension
    final TestQueue test = new TestQueue(server -> server.setting("appendonly", "no"));

    private final Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();
    private final AtomicInteger ended = new AtomicInteger();

    /**
     * @param busyAfterMs when Redis begins to refuse commands; before, it is silent
     * @param commandTimeoutMs shorter than the stall, so that calls are repeated; or longer, so that they wait in the connection
     */
    @ParameterizedTest
    @CsvSource({"60000, 500", "60000, 10000", "300, 500", "300, 10000"})
    void nothingIsHandledTwice(long busyAfterMs, long commandTimeoutMs) {
        long rounds = rounds();
        test.redis().configSet("lua-time-limit", String.valueOf(busyAfterMs));
        DelayQueueClient queue = test.open(options -> options.commandTimeout(Duration.ofMillis(commandTimeoutMs)));
        TestQueue.consume(queue, TestQueue.options().lease(LEASE).concurrency(CONCURRENCY), (message, delivery) -> {
            handled.computeIfAbsent(message.id(), id -> new AtomicInteger()).incrementAndGet();
            // work that takes a while, some of it longer than the lease
            LockSupport.parkNanos(message.id().endsWith("0") ? LEASE.toNanos() * 3 / 2 : LEASE.toNanos() / 10);
            ended.incrementAndGet();
        });
        int stalls = 0;
        int count = 0;
        boolean hasStruck = false;
        // again if the loop is too short, as it was measured on a busy machine, or if the stall met no handler
        while (!hasStruck) {
            assertThat(stalls)
                    .as("stalls that were too short or met no handler, the next one of %d rounds", rounds)
                    .isLessThan(MOST_STALLS);
            int before = ended.get();
            scheduleAll(count, count + 160);
            count += 160;
            TestQueue.await().until(() -> ended.get() > before + 5);
            int endedBefore = ended.get();
            stalls++;
            boolean isLong = stall(rounds).compareTo(LEASE) > 0;
            hasStruck = isLong && ended.get() > endedBefore;
            rounds *= isLong ? 1 : 2;
        }

        int all = count;
        TestQueue.await()
                .untilAsserted(() -> assertThat(test.stats().totals().acked()).isEqualTo(all));
        assertThat(handled).hasSize(all);
        assertThat(handled.entrySet().stream().filter(entry -> entry.getValue().get() > 1))
                .as("handled again")
                .isEmpty();
        // Redis sends replies when it has run all that it had read: a claim may be answered after the stall only. The
        // machine may stall, too
        assertThat(test.stats().totals().retried())
                .as("messages of claims that were not answered before their leases ended")
                .isLessThanOrEqualTo((long) CONCURRENCY * (stalls + 1));
    }

    /** Due all the time, so that claims are under way when the stall begins and when it ends. */
    private void scheduleAll(int from, int to) {
        test.queue()
                .scheduleAll(IntStream.range(from, to)
                        .mapToObj(i -> message("m" + i, Duration.ofMillis(15L * (i - from))))
                        .toList());
    }

    /** Rounds of the loop that take as long as the stall on a machine that has nothing else to do. */
    private long rounds() {
        long few = 3_000_000;
        long quickest =
                LongStream.range(0, 3).map(i -> stall(few).toNanos()).min().orElseThrow();
        return few * STALL.toNanos() / quickest;
    }

    private Duration stall(long rounds) {
        try (StatefulRedisConnection<String, String> other = test.admin().connect()) {
            other.setTimeout(Duration.ofSeconds(60));
            long begun = System.nanoTime();
            other.sync().eval(BUSY_LOOP, ScriptOutputType.STATUS, new String[0], String.valueOf(rounds));
            return Duration.ofNanos(System.nanoTime() - begun);
        }
    }

    private static OutgoingMessage message(String id, Duration delay) {
        return TestQueue.message().id(id).delay(delay).build();
    }
}
