package io.delayqueue.jdbc.relay;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.jdbc.relay.OrderStep.Call;
import io.delayqueue.jdbc.relay.OrderStep.Fault;
import io.delayqueue.jdbc.relay.OrderStep.Kind;
import io.delayqueue.jdbc.relay.OrderStep.Transaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The random changes of {@link OrderPerIdTests}, fewer, on the servers. */
class OrderPerIdOnServersTests {

    private static final int SEQUENCES = Integer.getInteger("delayqueue.order.sequences", 8);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void eachIdEndsAsItsCommitsSay(TestDatabase database) throws Exception {
        long seed = Long.getLong("delayqueue.order.seed", new Random().nextLong());
        Random random = new Random(seed);
        try (OrderWorld world = new OrderWorld(new OutboxFixture(database), redis)) {
            for (int i = 0; i < SEQUENCES; i++) {
                List<OrderStep> steps = steps(random);
                if (i == 0) {
                    steps.addAll(everyFault());
                }
                try {
                    world.play(steps);
                } catch (Exception | AssertionError e) {
                    throw new AssertionError(
                            database + ", seed " + seed + ", sequence " + i + ": " + e + "; " + steps, e);
                }
            }
            world.assertFaultsStruck("seed " + seed);
        }
    }

    /** Random steps may lack one. */
    private static List<OrderStep> everyFault() {
        OrderStep schedule = new Transaction(List.of(new Call(Kind.SCHEDULE, 0, 1, DuplicatePolicy.REPLACE)), true, 8);
        return List.of(
                schedule,
                Fault.RELAY_WITHOUT_REPLY,
                Fault.RELAY,
                Fault.THAW,
                schedule,
                Fault.FREEZE,
                Fault.RELAY,
                Fault.THAW);
    }

    private static List<OrderStep> steps(Random random) {
        List<OrderStep> steps = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            steps.add(random.nextBoolean() ? transaction(random) : one(Fault.values(), random));
        }
        return steps;
    }

    private static OrderStep transaction(Random random) {
        List<Call> calls = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            calls.add(new Call(
                    one(Kind.values(), random),
                    random.nextInt(3),
                    1 + random.nextInt(100),
                    one(DuplicatePolicy.values(), random)));
        }
        return new Transaction(calls, random.nextInt(6) > 0, random.nextInt(8));
    }

    private static <T> T one(T[] values, Random random) {
        return values[random.nextInt(values.length)];
    }
}
