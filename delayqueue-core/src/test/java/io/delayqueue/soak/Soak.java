package io.delayqueue.soak;

import io.delayqueue.ServerReport;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.fleet.Fleet;
import io.delayqueue.testsupport.fleet.Strike;
import io.delayqueue.testsupport.fleet.Verdict;
import io.delayqueue.testsupport.fleet.Worker;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.awaitility.core.ConditionTimeoutException;

/** Workers schedule and consume in JVMs of their own while one fault after the other strikes. */
final class Soak {

    static final String TOPIC = "soak";
    static final Duration LEASE = Duration.ofSeconds(2);
    static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    static final Duration GUARD = Duration.ofSeconds(5);
    static final int WORKERS = 3;
    static final int PER_SECOND = 50;

    /**
     * A lost connection is noticed after a timeout and made anew within another. A message that nobody was told of is found by
     * the guard, and one of a lost lease at its end. Then handlers work off what has gathered.
     */
    static final Duration LONGEST_RECOVERY =
            COMMAND_TIMEOUT.multipliedBy(2).plus(GUARD).plus(LEASE).plusSeconds(2);

    private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);
    private static final Duration HANDLING = Duration.ofMillis(20);
    private static final int CONCURRENCY = 10;

    /** Messages that a worker has begun and whose acks are not confirmed: prefetch is four times the concurrency at most. */
    static final int MOST_IN_HAND = 5 * CONCURRENCY;

    private final Duration duration;
    private final long seed;
    private final List<FaultRun> faults = new ArrayList<>();

    Soak(Duration duration, long seed) {
        this.duration = duration;
        this.seed = seed;
    }

    /** Runs it to the end; the report has faults without recovery. */
    SoakReport run() throws Exception {
        try (EmbeddedRedis server = DocumentedUser.behindProxy(
                                EmbeddedRedis.builder().appendOnly())
                        .start();
                Fleet fleet = new Fleet(server, COMMAND_TIMEOUT, GUARD)) {
            for (int i = 0; i < WORKERS; i++) {
                putToWork(fleet, fleet.startWorker());
            }
            harm(fleet);
            fleet.members().forEach(worker -> worker.tell(Worker.STOP_PRODUCING));
            boolean drained = drained(fleet);
            fleet.assertNothingDenied();
            Verdict verdict = fleet.judge(TOPIC);
            return new SoakReport(
                    duration,
                    seed,
                    serverVersion(fleet),
                    drained,
                    fleet.accounts().checks(),
                    fleet.accounts().wrong().size(),
                    List.copyOf(faults),
                    fleet.entries(TOPIC),
                    verdict);
        }
    }

    /** Makes a new worker schedule and consume. */
    static void putToWork(Fleet fleet, Fleet.Member worker) {
        fleet.consume(worker, TOPIC, LEASE, CONCURRENCY, HANDLING);
        worker.tell("produce", TOPIC, Integer.MAX_VALUE, PER_SECOND, LONGEST_DELAY.toMillis());
    }

    private void harm(Fleet fleet) throws Exception {
        Random random = new Random(seed);
        long end = System.nanoTime() + duration.toNanos();
        while (true) {
            List<Fault> round = new ArrayList<>(Arrays.asList(Fault.values()));
            Collections.shuffle(round, random);
            for (Fault fault : round) {
                // a pause between faults, in which the workers recover
                PlayedTime.pass(Duration.ofMillis(2000 + random.nextInt(3000)));
                if (System.nanoTime() - end > 0) {
                    return;
                }
                System.out.printf("%s %s%n", LocalTime.now().truncatedTo(ChronoUnit.SECONDS), fault.description());
                long begun = Strike.micros();
                Fleet.Member hit = fault.strike(fleet, random);
                fleet.struck(fault.description(), hit, begun);
                faults.add(new FaultRun(fault, hit == null ? WORKERS : 1, begun, Strike.micros()));
            }
        }
    }

    private static boolean drained(Fleet fleet) {
        try {
            fleet.awaitDrained(TOPIC, fleet.members().size());
            return true;
        } catch (ConditionTimeoutException e) {
            System.out.println("Not drained: " + fleet.queue().stats(TOPIC));
            return false;
        }
    }

    private static String serverVersion(Fleet fleet) {
        ServerReport server = fleet.queue().inspectServers().get(0);
        return server.product() + " " + server.version();
    }
}
