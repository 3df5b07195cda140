package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Through losses of Redis: all of it comes back that was not over, and nothing else. */
@DisabledOnOs(OS.WINDOWS)
class LossOracleTests extends JournalOracleFixture {

    /**
     * All that Redis had comes back while the work goes on: it is emptied, restarted without its files, and emptied while the database is
     * away.
     */
    @Tag("slow")
    @EachDatabase(DatabaseKind.MARIADB)
    void whatRedisLostComesBack(TestDatabase database) throws Exception {
        try (Run run = new Run(database, seed())) {
            run.instances.start(INSTANCES);
            run.instances.awaitProgress();
            Losses losses = new Losses(run);
            losses.emptyRedis();
            losses.restartRedisWithoutFiles();
            losses.emptyRedisWithoutDatabase();
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
                    case 1 -> new DatabaseFaults(run).cutConnections();
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
}
