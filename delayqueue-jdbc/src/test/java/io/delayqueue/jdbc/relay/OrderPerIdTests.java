package io.delayqueue.jdbc.relay;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.jdbc.relay.OrderStep.Call;
import io.delayqueue.jdbc.relay.OrderStep.Fault;
import io.delayqueue.jdbc.relay.OrderStep.Kind;
import io.delayqueue.jdbc.relay.OrderStep.Transaction;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Each id ends as the order of the commits says. Few ids are changed in random transactions, of which some are rolled back, with hand-overs
 * that are lost, replies that are lost, and relays that freeze and go on later.
 */
class OrderPerIdTests {

    private static final int IDS = 3;

    private static RedisFixture redis;
    private static HikariDataSource dataSource;
    private static OrderWorld world;

    @BeforeContainer
    static void start() {
        redis = new RedisFixture();
        dataSource = new HikariDataSource();
        dataSource.setJdbcUrl("jdbc:h2:mem:order-per-id;LOCK_TIMEOUT=20000");
        TestDatabase.initializer(dataSource, JournalTables.DEFAULT_PREFIX).initializeDatabase();
        world = new OrderWorld(new OutboxFixture(dataSource), redis);
    }

    @AfterContainer
    static void stop() throws Exception {
        try {
            world.close();
            world.assertFaultsStruck("of jqwik's seed");
        } finally {
            dataSource.close();
            redis.close();
        }
    }

    @Property(tries = 40, shrinking = ShrinkingMode.BOUNDED)
    void eachIdEndsAsItsCommitsSay(@ForAll("steps") List<OrderStep> steps) throws Exception {
        world.play(steps);
    }

    @Provide
    static Arbitrary<List<OrderStep>> steps() {
        Arbitrary<Call> calls = Combinators.combine(
                        Arbitraries.frequency(
                                Tuple.of(3, Kind.SCHEDULE), Tuple.of(2, Kind.CANCEL), Tuple.of(2, Kind.RESCHEDULE)),
                        Arbitraries.integers().between(0, IDS - 1),
                        Arbitraries.integers().between(1, 100),
                        Arbitraries.of(DuplicatePolicy.class))
                .as(Call::new);
        Arbitrary<OrderStep> transactions = Combinators.combine(
                        calls.list().ofMinSize(1).ofMaxSize(4),
                        Arbitraries.frequency(Tuple.of(5, true), Tuple.of(1, false)),
                        Arbitraries.integers().between(0, 8))
                .as(Transaction::new);
        return Arbitraries.frequencyOf(
                        Tuple.of(3, transactions),
                        Tuple.of(4, Arbitraries.of(Fault.class).map(OrderStep.class::cast)))
                .list()
                .ofMinSize(8)
                .ofMaxSize(24);
    }
}
