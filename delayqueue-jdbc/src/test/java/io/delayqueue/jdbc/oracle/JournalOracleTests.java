package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import io.delayqueue.jdbc.relay.MovedClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Instances change shared ids in random transactions and handle the messages, while faults of Redis, of the database and of processes
 * strike. All that committed takes effect, nothing that was rolled back does, and the last change of an id wins. Idempotent listeners
 * have each effect in the database once. After losses of Redis, all of it comes back that was not over, and nothing else.
 *
 * <p>System properties of the long form: {@code soak.duration}, such as {@code PT30M}, and {@code soak.seed}.
 */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class JournalOracleTests {

    private static final int INSTANCES = 3;
    private static final Duration DURATION = Duration.parse(System.getProperty("soak.duration", "PT10M"));

    /** Longer than leases, send timeouts, and Redis' memory of what it applied. */
    private static final Duration STEP = Duration.ofSeconds(10);

    @TempDir
    private Path directory;

    /**
     * Nothing that Redis had is lost. It is killed, replies are lost, calls come late, it is full, it lacks replicas, it forgets scripts,
     * closes connections, takes no calls for a while, stands still, is busy with another program's script, and denies a command of
     * scripts; the database goes away; an instance freezes, and one is killed.
     */
    @Tag("slow")
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void committedWorkTakesEffectThroughFaults(TestDatabase database) throws Exception {
        try (Run run = new Run(database, seed())) {
            run.instances.start(INSTANCES);
            run.instances.awaitProgress();
            Faults faults = new Faults(run);
            Refusals refusals = new Refusals(run);
            faults.killRedis();
            faults.takeDatabaseAway();
            faults.loseReplies();
            faults.holdUpCalls();
            refusals.fillRedis();
            refusals.missReplicas();
            refusals.flushScripts();
            faults.killClients();
            faults.pauseClients();
            faults.pauseRedisBriefly();
            refusals.runLongScript();
            refusals.denyWakeUps();
            faults.freezeInstance(0);
            faults.killInstance(1);

            judge(run);
        }
    }

    /** All that Redis had comes back while the work goes on: it is emptied, and restarted without its files. */
    @Tag("slow")
    @EachDatabase(DatabaseKind.MARIADB)
    void whatRedisLostComesBack(TestDatabase database) throws Exception {
        try (Run run = new Run(database, seed())) {
            run.instances.start(INSTANCES);
            run.instances.awaitProgress();
            Losses losses = new Losses(run);
            losses.emptyRedis();
            losses.restartRedisWithoutFiles();
            new Faults(run).killInstance(1);

            judge(run);
        }
    }

    /** Redis has again what was over, and lacks the last writes: it is restarted from older files, and fails over. */
    @Tag("slow")
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void whatIsOverStaysSoInARedisOfEarlier(TestDatabase database) throws Exception {
        try (Run run = new Run(database, seed())) {
            run.instances.start(INSTANCES);
            run.instances.awaitProgress();
            Losses losses = new Losses(run);
            losses.restartRedisFromOlderFiles();
            new Faults(run).killInstance(1);
            losses.failOver();

            judge(run);
        }
    }

    /** Instances find Redis by a Sentinel, which promotes a replica that lacks the last writes. */
    @Tag("slow")
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void whatASentinelsFailoverLosesComesBack(TestDatabase database) throws Exception {
        try (Run run = new Run(database, seed(), ServedRedis.behindSentinel())) {
            run.instances.start(INSTANCES);
            run.instances.awaitProgress();
            new Losses(run).sentinelFailsOver();

            judge(run);
        }
    }

    /**
     * Redis' clock is set ahead and back, by more than any lease, time-out or memory. Needs Linux and a C compiler; without them the test
     * is skipped with a message.
     */
    @Tag("slow")
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aStepOfRedisClockLosesNothing(TestDatabase database) throws Exception {
        MovedClock clock = clock("redis", Duration.ZERO);
        try (Run run = new Run(database, seed(), ServedRedis.atAddress(clock.environment()))) {
            run.instances.start(INSTANCES);
            run.instances.awaitProgress();
            Faults faults = new Faults(run);
            faults.setRedisClock(clock, STEP);
            faults.setRedisClock(clock, Duration.ZERO);

            judge(run);
        }
    }

    /**
     * The clocks of two instances are hours apart from the machine's, and are set forward and back while Redis loses replies and data.
     * Needs Linux and a C compiler; without them the test is skipped with a message.
     */
    @Tag("soak")
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void noClockOfAnInstanceCounts(TestDatabase database) throws Exception {
        MovedClock ahead = clock("ahead", Duration.ofHours(5));
        MovedClock behind = clock("behind", Duration.ofHours(-5));
        try (Run run = new Run(database, seed())) {
            run.instances.start(List.of(ahead.environment(), behind.environment(), Map.of()));
            run.instances.awaitProgress();
            Faults faults = new Faults(run);
            faults.setClock(0, ahead, Duration.ofHours(-7));
            faults.loseReplies();
            faults.setClock(1, behind, Duration.ofDays(3));
            new Losses(run).emptyRedis();
            faults.setClock(0, ahead, Duration.ZERO);
            faults.freezeInstance(1);
            faults.setClock(1, behind, Duration.ofHours(-1));
            faults.killInstance(2);

            judge(run);
        }
    }

    private MovedClock clock(String name, Duration ahead) throws Exception {
        return MovedClock.in(Files.createDirectory(directory.resolve(name)), ahead);
    }

    /** The long form: each of these faults, and a few more, at random. */
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void committedWorkTakesEffectThroughManyFaults(TestDatabase database) throws Exception {
        long seed = seed();
        System.out.println("Journal soak of " + DURATION + " on " + database);
        Random random = new Random(seed);
        try (Run run = new Run(database, seed)) {
            run.instances.start(INSTANCES);
            Faults faults = new Faults(run);
            long end = end();
            while (System.nanoTime() - end < 0) {
                run.instances.awaitProgress();
                faults.any(random);
            }
            judge(run);
        }
    }

    /** Each failover has another replica, and other faults between the failovers. */
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void whatManyFailoversOfASentinelLoseComesBack(TestDatabase database) throws Exception {
        long seed = seed();
        Random random = new Random(seed);
        try (Run run = new Run(database, seed, ServedRedis.behindSentinel())) {
            run.instances.start(INSTANCES);
            Faults faults = new Faults(run);
            Losses losses = new Losses(run);
            long end = end();
            while (System.nanoTime() - end < 0) {
                run.instances.awaitProgress();
                losses.sentinelFailsOver();
                switch (random.nextInt(5)) {
                    case 0 -> faults.freezeInstance(random.nextInt(INSTANCES));
                    case 1 -> faults.cutDatabaseConnections();
                    case 2 -> faults.killClients();
                    case 3 -> losses.emptyRedis();
                    default -> {
                        faults.killInstance(random.nextInt(INSTANCES));
                        run.instances.start(1);
                    }
                }
            }
            judge(run);
        }
    }

    /** Each fault of the other long form strikes between steps of Redis' clock. */
    @Tag("soak")
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void manyStepsOfRedisClockLoseNothing(TestDatabase database) throws Exception {
        long seed = seed();
        Random random = new Random(seed);
        MovedClock clock = clock("redis", Duration.ZERO);
        try (Run run = new Run(database, seed, ServedRedis.atAddress(clock.environment()))) {
            run.instances.start(INSTANCES);
            Faults faults = new Faults(run);
            boolean isAhead = false;
            long end = end();
            while (System.nanoTime() - end < 0) {
                run.instances.awaitProgress();
                isAhead = !isAhead;
                faults.setRedisClock(clock, isAhead ? STEP : Duration.ZERO);
                faults.any(random);
            }
            judge(run);
        }
    }

    private static long end() {
        return System.nanoTime() + DURATION.toNanos();
    }

    private static long seed() {
        long seed = Long.getLong("soak.seed", System.nanoTime());
        System.out.println("Journal oracle, seed " + seed);
        return seed;
    }

    private static void judge(Run run) throws Exception {
        run.awaitEnough();
        Verdict verdict = run.judge();
        List<Work> work = run.recorded.work();
        long attempted = run.instances.notes().stream()
                .filter(note -> note.is(What.IDLE))
                .mapToLong(Note::number)
                .sum();
        System.out.println(work.size() + " changes took place; " + verdict.delivered() + " messages, "
                + verdict.duplicates() + " duplicates, " + run.sightings() + " looks at the outbox; failed calls: "
                + run.failures());

        if (!verdict.isSound()) {
            System.out.println(run.story(verdict));
        }
        verdict.requireSound();
        assertThat(run.conflicts())
                .as("transactions that failed for another one")
                .isLessThan(run.instances.count(What.RETURNED) / 10);
        assertThat(run.recorded.effects())
                .as("effects of idempotent listeners")
                .hasSizeGreaterThan(20)
                .doesNotHaveDuplicates()
                .isSubsetOf(work.stream().map(Work::version).toList());
        for (Kind kind : Kind.values()) {
            assertThat(work).filteredOn(change -> change.kind() == kind).hasSizeGreaterThan(20);
        }
        assertThat(run.instances.count(What.PROMISED))
                .as("calls without a transaction")
                .isGreaterThan(10);
        assertThat(verdict.delivered()).as("messages that were delivered").isGreaterThan(50);
        assertThat(run.sightings()).as("looks at the outbox").isGreaterThan(50);
        long committed = work.stream()
                .filter(change -> change.kind() == Kind.SCHEDULE && change.order() > 0)
                .filter(change -> run.instances.members().stream()
                        .anyMatch(member -> change.version().startsWith(member.name() + "-")))
                .count();
        assertThat(attempted - committed).as("schedule calls rolled back").isGreaterThan(20);
    }
}
