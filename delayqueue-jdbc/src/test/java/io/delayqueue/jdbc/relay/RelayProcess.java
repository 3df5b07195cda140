package io.delayqueue.jdbc.relay;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxOptions;
import io.lettuce.core.RedisClient;
import java.util.concurrent.locks.LockSupport;

/** A relay in a process of its own, which stops at a step, so that it can be killed there. */
final class RelayProcess {

    /** Where the process stops. */
    enum Step {
        /** Behind the claim, before Redis is called. */
        CLAIMED,
        /** Behind Redis' answer, before it is recorded. */
        ANSWERED,
        /** Nowhere: it sends everything and ends. */
        NONE
    }

    private RelayProcess() {}

    /** Arguments: URL of the database, URL of Redis, step. */
    public static void main(String[] arguments) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        Step step = Step.valueOf(arguments[2]);
        try (HikariDataSource pool = new HikariDataSource(config);
                RedisClient lettuce = RedisClient.create(arguments[1]);
                DelayQueueClient client = DelayQueueClient.create(lettuce, DelayQueueOptions.defaults())) {
            WatchedOutbox outbox = new WatchedOutbox(client.outbox(OutboxOptions.DEFAULTS));
            outbox.beforeCall = operations -> stopAt(Step.CLAIMED, step);
            outbox.beforeReply = () -> stopAt(Step.ANSWERED, step);
            try (Relay relay =
                    new Relay(new OutboxFixture(pool).database, outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
                int sent = relay.runOnce();
                System.out.println("SENT " + sent);
            }
        }
    }

    private static void stopAt(Step here, Step wanted) {
        if (here == wanted) {
            System.out.println(here);
            while (true) {
                LockSupport.park();
            }
        }
    }
}
