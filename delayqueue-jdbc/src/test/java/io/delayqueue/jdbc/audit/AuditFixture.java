package io.delayqueue.jdbc.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutboxReply;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.outbox.BegunTransactions;
import io.delayqueue.jdbc.outbox.CallerTransaction;
import io.delayqueue.jdbc.outbox.JournalSender;
import io.delayqueue.jdbc.outbox.OutboxWriter;
import io.delayqueue.jdbc.outbox.WriteSettings;
import io.delayqueue.jdbc.outbox.WriteTransactions;
import io.delayqueue.jdbc.relay.RedisTime;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Messages in a test's database, as the outbox writes them, and an audit that is driven by hand. */
final class AuditFixture implements AutoCloseable {

    static final String TOPIC = "orders";
    static final String BUSINESS_KEY = "order";

    /**
     * A message that was sent less than a millisecond before a call is not known to have been there; nor is one that was sent while the
     * machine held up the database's answer.
     */
    private static final int MOMENT_MICROS = 10_000_000;

    private static final EmbeddedRedis REDIS = EmbeddedRedis.start();

    final JournalDatabase database;
    final JdbcClient jdbc;
    final JournalTransaction transaction;
    final AuditBuffer buffer;
    final AuditObserver observer;
    final AuditWriter writer;
    final JdbcJournal journal;
    private final RedisClient lettuce = RedisClient.create(REDIS.uri());
    private final DelayQueueClient client = DelayQueueClient.create(
            lettuce,
            DelayQueueOptions.builder().commandTimeout(Duration.ofSeconds(20)).build());
    private final JournalSender messages;
    private final AuditSettings settings;

    AuditFixture(TestDatabase test) {
        this(test.withSchema().dataSource(), AuditSettings.DEFAULTS);
    }

    AuditFixture(DataSource dataSource, AuditSettings settings) {
        database = new JournalDatabase(dataSource, new JournalTables(JournalTables.DEFAULT_PREFIX));
        jdbc = database.jdbc();
        transaction = new JournalTransaction(dataSource, database.dialect());
        buffer = new AuditBuffer(settings.capacity(), settings.capacityBytes());
        observer = new AuditObserver(buffer);
        this.settings = settings;
        writer = writer(events -> {});
        journal = new JdbcJournal(database, transaction, BUSINESS_KEY);
        messages = new JournalSender(
                client,
                new WriteTransactions(
                        new CallerTransaction(dataSource, "dataSource", new BegunTransactions()), transaction),
                new OutboxWriter(database, new WriteSettings(1, Duration.ofSeconds(10), BUSINESS_KEY)),
                // nothing is sent
                changes -> changes.forEach(change -> change.answer().complete(Optional.empty())),
                topic -> null);
    }

    /** A writer that takes from the same buffer. */
    AuditWriter writer(Consumer<List<AuditEvent>> alongside) {
        return writer(alongside, Duration.ZERO);
    }

    /** The same, with a Redis whose clock is ahead of this machine's. */
    AuditWriter writer(Consumer<List<AuditEvent>> alongside, Duration ahead) {
        Outbox outbox = client.outbox(OutboxOptions.DEFAULTS);
        return new AuditWriter(
                database, buffer, new RedisTime(() -> new OutboxAhead(outbox, ahead)), settings, alongside);
    }

    private record OutboxAhead(Outbox outbox, Duration ahead) implements Outbox {

        @Override
        public CompletableFuture<OutboxReply> send(List<OutboxOperation> operations, long readAfterMicros) {
            return outbox.send(operations, readAfterMicros);
        }

        @Override
        public CompletableFuture<Long> timeMicros() {
            return outbox.timeMicros().thenApply(micros -> micros + ahead.toNanos() / 1_000);
        }

        @Override
        public CompletableFuture<Void> forget(long allSentMicros) {
            return outbox.forget(allSentMicros);
        }
    }

    /** A batch as another instance writes it. */
    AuditBatch batch(String instance) {
        return new AuditBatch(database, transaction, events -> {}, instance);
    }

    static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to(TOPIC).id(id).payload(new byte[] {1}).delay(Duration.ofMinutes(1));
    }

    OutgoingMessage schedule(String id) {
        OutgoingMessage message = message(id).build();
        schedule(List.of(message));
        return message;
    }

    void schedule(List<OutgoingMessage> outgoing) {
        assertThat(messages.scheduleAll(outgoing)).hasSameSizeAs(outgoing);
    }

    /** A message that has been in Redis for a moment, as the relay records it. */
    OutgoingMessage sent(String id) {
        OutgoingMessage message = schedule(id);
        setStatus(message, MessageStatus.SCHEDULED);
        jdbc.sql("UPDATE delayqueue_message SET updated = updated - " + MOMENT_MICROS
                        + " WHERE topic = ? AND id = ? AND generation = ?")
                .params(name(message.topic()), name(message.id()), message.generation())
                .update();
        return message;
    }

    List<OutgoingMessage> sent(String topic, int count) {
        List<OutgoingMessage> outgoing = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            outgoing.add(OutgoingMessage.to(topic)
                    .id("m" + i)
                    .payload(new byte[] {1})
                    .ifExists(DuplicatePolicy.REPLACE)
                    .build());
        }
        schedule(outgoing);
        jdbc.sql("UPDATE delayqueue_message SET status = 'SCHEDULED', updated = " + now() + " - " + MOMENT_MICROS
                        + " WHERE topic = ?")
                .param(name(topic))
                .update();
        return outgoing;
    }

    /** The work of the relay. */
    void setStatus(OutgoingMessage message, MessageStatus status) {
        jdbc.sql("UPDATE delayqueue_message SET status = ?, updated = " + now() + ", finished = "
                        + (status.isFinished() ? now() : "NULL") + " WHERE topic = ? AND id = ? AND generation = ?")
                .params(status.name(), name(message.topic()), name(message.id()), message.generation())
                .update();
    }

    private String now() {
        return database.dialect().nowMicros();
    }

    /** A message as a handler gets it. */
    static ReceivedMessage received(OutgoingMessage message, int attempt) {
        return ReceivedMessage.of(message.topic(), message.id())
                .payload(message.payload())
                .headers(message.headers())
                .attempt(attempt)
                .due(Instant.now())
                .generation(message.generation())
                .build();
    }

    void handled(OutgoingMessage message, int attempt) {
        ReceivedMessage received = received(message, attempt);
        observer.delivered(received, Duration.ZERO);
        observer.handled(received, Duration.ZERO, null);
        observer.acked(received);
    }

    void failed(OutgoingMessage message, int attempt, Duration retryAfter, String error) {
        ReceivedMessage received = received(message, attempt);
        Throwable failure = new IllegalStateException(error);
        observer.delivered(received, Duration.ZERO);
        observer.handled(received, Duration.ZERO, failure);
        observer.retried(received, retryAfter, failure);
    }

    void write() throws InterruptedException {
        observer.recordLongAttempts();
        writer.writeAll();
    }

    Map<String, Object> row(OutgoingMessage message) {
        return jdbc.sql("SELECT status, attempts, due, due_is_instant, created, updated, finished, reason FROM"
                        + " delayqueue_message WHERE topic = ? AND id = ? AND generation = ?")
                .params(name(message.topic()), name(message.id()), message.generation())
                .query()
                .singleRow();
    }

    String status(OutgoingMessage message) {
        return String.valueOf(row(message).get("status"));
    }

    static @Nullable Long number(@Nullable Object value) {
        return value == null ? null : ((Number) value).longValue();
    }

    long count(String table) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_" + table)
                .query(Long.class)
                .single();
    }

    Object name(String name) {
        return database.dialect().name(name);
    }

    @Override
    public void close() {
        client.close();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
