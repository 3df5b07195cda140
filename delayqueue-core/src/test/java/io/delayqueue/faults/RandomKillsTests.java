package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.fleet.Verdict;
import io.delayqueue.testsupport.fleet.Worker;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Promise 1: Redis, or workers, are killed again and again at random moments of a load. The tag soak has 500 kills each. */
@DisabledOnOs(OS.WINDOWS)
class RandomKillsTests {

    private static final String TOPIC = "kills";
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int WORKERS = 2;
    private static final int PER_SECOND = 50;

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
        fleet.consume(worker, TOPIC, LEASE, 10, Duration.ofMillis(10));
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
        for (int i = 0; i < times; i++) {
            someTimeOfLoad();
            fleet.strike("killed", null, () -> {
                server.kill();
                server.restart();
            });
        }
        endAndJudge();
    }

    private void killWorkers(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            someTimeOfLoad();
            fleet.kill(fleet.members().get(random.nextInt(WORKERS)));
            startWorker();
        }
        assertThat(fleet.entries("-"))
                .filteredOn(entry -> entry.what() == What.KILLED)
                .hasSize(times);
        endAndJudge();
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
        assertThat(fleet.accounts().wrong()).as("stats that don't add up").isEmpty();
        assertThat(fleet.accounts().checks()).isPositive();
    }
}
