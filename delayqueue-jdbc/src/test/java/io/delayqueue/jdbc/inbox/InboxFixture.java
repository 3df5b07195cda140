package io.delayqueue.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.spring.JsonPayloadConverter;
import io.delayqueue.spring.listener.BackoffSettings;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.DelayQueueListenerEndpoint;
import io.delayqueue.spring.listener.ListenerMethods;
import io.delayqueue.spring.listener.ListenerSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ZAddArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A process with an idempotent listener, whose work is a row in a table of its own. */
final class InboxFixture implements AutoCloseable {

    static final String TOPIC = "orders";
    static final String CREATE_WORK = "CREATE TABLE work (id VARCHAR(100), attempt INTEGER)";

    final DelayQueueClient client;
    final JdbcClient jdbc;
    final TransactionTemplate transaction;
    final InboxDecorator decorator;
    final List<DelayQueueInterceptor> interceptors = new ArrayList<>();
    private final RedisClient lettuce;
    private final List<DelayQueueListenerContainer> containers = new ArrayList<>();

    InboxFixture(DataSource dataSource, String redis) {
        JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
        jdbc = JdbcClient.create(dataSource);
        transaction = new TransactionTemplate(manager);
        lettuce = RedisClient.create(redis);
        client = DelayQueueClient.create(
                lettuce,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(20)) // the machine may be busy
                        .shutdownTimeout(Duration.ofSeconds(10))
                        .build());
        decorator = new InboxDecorator(
                new JournalDatabase(dataSource, new JournalTables(JournalTables.DEFAULT_PREFIX)),
                new InboxTransactions(() -> manager, name -> manager),
                Duration.ofDays(100),
                Duration.ofDays(90),
                topic -> Duration.ofDays(14));
    }

    /** Begins to handle messages, each once more after a failure, and at most three times. */
    void listen(MessageHandler handler) {
        listen(handler, true, Duration.ofSeconds(30));
    }

    void listen(MessageHandler handler, boolean idempotent, Duration lease) {
        listen("worker", TOPIC, handler, idempotent, lease);
    }

    /** Another listener, or one of another topic. */
    void listen(String id, String topic, MessageHandler handler) {
        listen(id, topic, handler, true, Duration.ofSeconds(30));
    }

    private void listen(String id, String topic, MessageHandler handler, boolean idempotent, Duration lease) {
        DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(
                client,
                new ListenerMethods(
                        new JsonPayloadConverter(JsonMapper.shared()), null, new DefaultListableBeanFactory()));
        factory.setDecorators(List.of(decorator));
        factory.setInterceptors(interceptors);
        DelayQueueListenerContainer container =
                factory.createContainer(DelayQueueListenerEndpoint.forHandler(id, topic, handler)
                        .withIdempotent(idempotent)
                        .withSettings(ListenerSettings.builder()
                                .lease(lease)
                                .concurrency(16)
                                .maxAttempts(3)
                                .backoff(new BackoffSettings(null, null, null, null, List.of(Duration.ofMillis(20))))
                                .build()));
        containers.add(container);
        container.start();
    }

    /** Leaves messages to others. */
    void claimNoMore() {
        containers.forEach(DelayQueueListenerContainer::pause);
    }

    /** The work that a handler does. */
    void work(ReceivedMessage message) {
        jdbc.sql("INSERT INTO work (id, attempt) VALUES (?, ?)")
                .params(message.id(), message.attempt())
                .update();
    }

    void schedule(String id) {
        client.schedule(OutgoingMessage.to(TOPIC).id(id).payload(new byte[0]).build());
    }

    /** Ends the lease of a message at once, as after a stall or a kill of its owner that lasts longer. */
    void endLease(String id) {
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            assertThat(connection
                            .sync()
                            .zadd(
                                    "dq:{" + TOPIC + ":0}:leased",
                                    ZAddArgs.Builder.xx().ch(),
                                    1,
                                    id))
                    .isOne();
        }
    }

    TopicStats stats() {
        return client.stats(TOPIC);
    }

    int works() {
        return jdbc.sql("SELECT COUNT(*) FROM work").query(Integer.class).single();
    }

    /** Attempts that did the work of a message. */
    List<Integer> works(String id) {
        return jdbc.sql("SELECT attempt FROM work WHERE id = ? ORDER BY attempt")
                .param(id)
                .query(Integer.class)
                .list();
    }

    int recorded() {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_inbox")
                .query(Integer.class)
                .single();
    }

    @Override
    public void close() {
        containers.forEach(container -> container.stop(Duration.ofSeconds(5)));
        client.close();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
