package io.delayqueue.jdbc.inbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** An idempotent listener in a process of its own, which stops between commit and ack, so that it can be killed there. */
final class InboxProcess {

    private InboxProcess() {}

    /** Arguments: URL of the database, URL of Redis, whether the listener is idempotent. */
    public static void main(String[] arguments) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        try (HikariDataSource pool = new HikariDataSource(config);
                InboxFixture fixture = new InboxFixture(pool, arguments[1])) {
            fixture.interceptors.add((message, delivery, next) -> {
                next.handle(message, delivery);
                System.out.println("COMMITTED");
                while (true) {
                    LockSupport.park();
                }
            });
            fixture.listen(
                    (message, delivery) -> fixture.work(message),
                    Boolean.parseBoolean(arguments[2]),
                    Duration.ofMinutes(1));
            while (true) {
                LockSupport.park();
            }
        }
    }
}
