package io.delayqueue.jdbc.restore;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A process that restores what Redis lost, tells its progress each second, and says when it is done. */
final class RestoringProcess {

    private RestoringProcess() {}

    /** Arguments: URL of the database, URL of Redis. */
    public static void main(String[] arguments) throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        HikariDataSource pool = new HikariDataSource(config);
        RestoreFixture here = new RestoreFixture(pool, arguments[1], RestoreFixture.SETTINGS, true).start();
        while (here.reports.isEmpty()) {
            RestoreProgress progress = here.restore.progress();
            if (progress.topic() != null) {
                System.out.println(String.join(
                        " ",
                        "progress",
                        Long.toString(progress.scanned()),
                        Long.toString(progress.perSecond()),
                        Long.toString(progress.remaining())));
            }
            LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
        }
        System.out.println("DONE");
        Thread.currentThread().join();
    }
}
