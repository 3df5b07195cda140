package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.fleet.Verdict;
import io.delayqueue.testsupport.fleet.Worker;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Promise 1: Redis, or workers, are killed again and again at random moments of a load. The tag soak has 500 kills each. */
@Tag("slow")
@DisabledOnOs(OS.WINDOWS)
class RandomKillsTests {

    private static final String TOPIC = "kills";
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int WORKERS = 2;
    private static final int PER_SECOND = 50;

    /** With this load, about five of the ten handlers of a worker have a message in flight when it is killed. */
    private static final Duration HANDLING = Duration.ofMillis(200);

    /** A message may meet kill after kill: some seconds, but not the whole of the long run. */
    private static final Duration MOST_LATE = Duration.ofSeconds(30);

    private final Random random = new Random();
    private EmbeddedRedis server;
    private Fleet fleet;

    @BeforeEach
    void start() {
        server =
                DocumentedUser.behindProxy(EmbeddedRedis.builder().appendOnly()).start();
        fleet = new Fleet(server, Duration.ofMillis(500), Duration.ofMillis(500));
        for (int i = 0; i < WORKERS; i++) {
            startWorker();
        }
        fleet.awaitHandled(TOPIC, 10);
    }

    private void startWorker() {
        Fleet.Member worker = fleet.startWorker();
        fleet.consume(worker, TOPIC, LEASE, 10, HANDLING);
        worker.tell("produce", TOPIC, Integer.MAX_VALUE, PER_SECOND, 500);
    }

    @AfterEach
    void stop() throws Exception {
        fleet.close();
        server.close();
    }

    @Test
    void redisIsKilledTenTimes() throws Exception {
        killRedis(10);
    }

    @Test
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void redisIsKilledFiveHundredTimes() throws Exception {
        killRedis(500);
    }

    @Test
    void workersAreKilledThreeTimes() throws Exception {
        killWorkers(3);
    }

    @Test
    @Tag("soak")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void workersAreKilledFiveHundredTimes() throws Exception {
        killWorkers(500);
    }

    private void killRedis(int times) throws Exception {
        Set<String> runs = new HashSet<>(Set.of(runId()));
        for (int i = 0; i < times; i++) {
            someTimeOfLoad();
            fleet.strike("killed", null, () -> {
                server.kill();
                server.restart();
            });
            runs.add(runId());
        }
        assertThat(runs).as("each kill ended a run of Redis").hasSize(times + 1);
        endAndJudge();
    }

    private void killWorkers(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            Fleet.Member victim = fleet.members().get(random.nextInt(WORKERS));
            someTimeOfLoad();
            // one that was just started has none yet
            fleet.awaitInFlight(victim, TOPIC, 2);
            fleet.kill(victim);
            startWorker();
        }
        assertThat(fleet.entries("-"))
                .filteredOn(entry -> entry.what() == What.KILLED)
                .hasSize(times);
        endAndJudge();
        assertThat(fleet.queue().stats(TOPIC).totals().retried())
                .as("messages that killed workers had in flight")
                .isPositive();
    }

    /** The test's own connection may meet the kill as well, and connects again. */
    private String runId() {
        return Fleet.await()
                .ignoreExceptionsInstanceOf(RedisException.class)
                .until(
                        () -> fleet.redis()
                                .info("server")
                                .lines()
                                .filter(line -> line.startsWith("run_id:"))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    /** How late the latest first delivery was. */
    private Duration latest() {
        return fleet.entries(TOPIC).stream()
                .filter(entry -> entry.what() == What.BEGUN && entry.number() == 1)
                .map(entry -> Duration.of(entry.notBefore() - entry.due(), ChronoUnit.MICROS))
                .max(Duration::compareTo)
                .orElseThrow();
    }

    /** Between two kills, so that they come at random moments of it. */
    private void someTimeOfLoad() {
        PlayedTime.pass(Duration.ofNanos(random.nextInt(400_000_000)));
    }

    private void endAndJudge() {
        fleet.members().forEach(worker -> worker.tell(Worker.STOP_PRODUCING));
        fleet.awaitDrained(TOPIC, WORKERS);
        Verdict verdict = fleet.judge(TOPIC);
        verdict.requireSound();
        assertThat(verdict.acknowledged()).isGreaterThan(10);
        assertThat(latest()).as("lateness of the latest").isLessThan(MOST_LATE);
        assertThat(fleet.accounts().wrong()).as("stats that don't add up").isEmpty();
        assertThat(fleet.accounts().checks()).isPositive();
    }
}
