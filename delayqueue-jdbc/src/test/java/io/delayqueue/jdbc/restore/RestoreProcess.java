package io.delayqueue.jdbc.restore;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A process that begins to restore, slowly, and says when it is in the middle. */
final class RestoreProcess {

    private static RestoreSettings slow(RestoreMode mode) {
        return new RestoreSettings(
                mode,
                200,
                Duration.ofMillis(200),
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ZERO);
    }

    private RestoreProcess() {}

    /** Arguments: URL of the database, URL of Redis, mode; in {@code REPORT}, it is asked to restore. */
    public static void main(String[] arguments) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        HikariDataSource pool = new HikariDataSource(config);
        RestoreMode mode = RestoreMode.valueOf(arguments[2]);
        RestoreFixture here = new RestoreFixture(pool, arguments[1], slow(mode), true).start();
        if (mode == RestoreMode.REPORT) {
            Thread restoring = new Thread(() -> here.restore.restore(RestoreRequest.all(), false));
            restoring.setDaemon(true);
            restoring.start();
        }
        RestoreFixture.await()
                .until(() -> here.client.stats(RestoreFixture.TOPIC).pending().scheduled() > 0);
        System.out.println("MIDDLE");
        while (true) {
            LockSupport.park();
        }
    }
}
