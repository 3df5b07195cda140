package io.delayqueue.benchmarks.peers.dbscheduler;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * db-scheduler with one-time tasks in PostgreSQL. It polls as its documentation advises for many executions: lock-and-fetch of up to
 * four times the threads. It polls every 100 ms instead of 10 s. Execution times are the client's.
 */
public final class DbSchedulerPeer implements Peer {

    private static final int CONNECTIONS = 32;
    private static final Duration POLLING_INTERVAL = Duration.ofMillis(100);

    private static final String TABLE = """
            create table if not exists scheduled_tasks (
              task_name text not null,
              task_instance text not null,
              task_data bytea,
              execution_time timestamp with time zone not null,
              picked boolean not null,
              picked_by text,
              last_success timestamp with time zone,
              last_failure timestamp with time zone,
              consecutive_failures int,
              last_heartbeat timestamp with time zone,
              version bigint not null,
              priority smallint,
              primary key (task_name, task_instance)
            );
            create index if not exists execution_time_idx on scheduled_tasks (execution_time);
            create index if not exists last_heartbeat_idx on scheduled_tasks (last_heartbeat);
            """;

    private final HikariDataSource dataSource;
    private final SchedulerClient client;
    private final PeerSettings settings;

    /** Connects to the server and creates the table if needed. */
    public DbSchedulerPeer(PeerSettings settings) throws SQLException {
        this.settings = settings;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.server());
        config.setMaximumPoolSize(CONNECTIONS);
        dataSource = new HikariDataSource(config);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(TABLE);
        }
        client = SchedulerClient.Builder.create(dataSource).build();
    }

    @Override
    public void schedule(Outgoing message) {
        client.schedule(instance(message), Instant.now().plus(message.delay()));
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) {
        List<SchedulableInstance<?>> instances = new ArrayList<>(messages.size());
        for (Outgoing message : messages) {
            instances.add(
                    SchedulableInstance.of(instance(message), Instant.now().plus(message.delay())));
        }
        client.scheduleBatch(instances);
    }

    private static TaskInstance<byte[]> instance(Outgoing message) {
        return new TaskInstance<>(message.topic(), message.id(), message.payload());
    }

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        SchedulerBuilder builder = Scheduler.create(
                dataSource,
                topics.stream()
                        .map(topic -> Tasks.oneTime(topic, byte[].class)
                                .execute((instance, context) -> handler.handle(
                                        instance.getData(),
                                        micros(context.getExecution().getExecutionTime()))))
                        .toArray(Task<?>[]::new));
        Scheduler scheduler = builder.threads(concurrency)
                .pollingInterval(POLLING_INTERVAL)
                .pollUsingLockAndFetch(1.0, 4.0)
                .heartbeatInterval(heartbeat())
                .shutdownMaxWait(Duration.ofSeconds(1))
                .build();
        scheduler.start();
        return scheduler::stop;
    }

    /** An execution is dead after six missed heartbeats. */
    private Duration heartbeat() {
        Duration sixth = settings.lease().dividedBy(6);
        return sixth.compareTo(Duration.ofMillis(200)) < 0 ? Duration.ofMillis(200) : sixth;
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    @Override
    public void close() {
        dataSource.close();
    }
}
