package io.delayqueue.jdbc.restore;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A process that begins to restore, slowly, and says when it is in the middle. */
final class RestoreProcess {

    private static final RestoreSettings SLOW = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            200,
            Duration.ofMillis(200),
            Duration.ZERO,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ZERO);

    private RestoreProcess() {}

    /** Arguments: URL of the database, URL of Redis. */
    public static void main(String[] arguments) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        HikariDataSource pool = new HikariDataSource(config);
        RestoreFixture here = new RestoreFixture(pool, arguments[1], SLOW, true).start();
        RestoreFixture.await()
                .until(() -> here.client.stats(RestoreFixture.TOPIC).pending().scheduled() > 0);
        System.out.println("MIDDLE");
        while (true) {
            LockSupport.park();
        }
    }
}
