package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.Delay;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.jdbc.outbox.BegunTransactions;
import io.delayqueue.jdbc.outbox.CallerTransaction;
import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.outbox.JournalSender;
import io.delayqueue.jdbc.outbox.OutboxWriter;
import io.delayqueue.jdbc.outbox.WriteSettings;
import io.delayqueue.jdbc.outbox.WriteTransactions;
import io.delayqueue.jdbc.relay.OrderStep.Call;
import io.delayqueue.jdbc.relay.OrderStep.Fault;
import io.delayqueue.jdbc.relay.OrderStep.Transaction;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** An application, its relays and its Redis, on which random sequences of changes are played. */
final class OrderWorld implements AutoCloseable {

    private static final long SENDER = 42;

    private final OutboxFixture rows;
    private final RedisFixture redis;
    private final BegunTransactions begun = new BegunTransactions();
    private final TransactionTemplate transaction;
    private final JournalSender sender;
    private final List<CommittedChange> offered = new ArrayList<>();
    private final WatchedOutbox outbox;
    private final QueuedHandOver handOver;
    private final Relay relay;
    private final FreezingRelay frozen;
    private OrderModel model = new OrderModel();
    private String prefix = "";
    private int played;

    OrderWorld(OutboxFixture rows, RedisFixture redis) {
        this.rows = rows;
        this.redis = redis;
        JdbcTransactionManager manager = new JdbcTransactionManager(rows.database.dataSource());
        manager.addListener(begun.listener(manager, "manager"));
        this.transaction = new TransactionTemplate(manager);
        OutboxSettings settings = new OutboxSettings(Duration.ofSeconds(10), 2, Duration.ofMillis(1), 1_000, 10);
        this.sender = new JournalSender(
                redis.client,
                new WriteTransactions(
                        new CallerTransaction(rows.database.dataSource(), "dataSource", begun),
                        new JournalTransaction(rows.database.dataSource(), rows.database.dialect())),
                new OutboxWriter(rows.database, new WriteSettings(SENDER, settings.sendTimeout(), null)),
                offered::addAll,
                topic -> null);
        this.outbox = new WatchedOutbox(redis.outbox);
        this.handOver = new QueuedHandOver(rows.database, outbox, OutboxListener.NONE, settings, SENDER);
        handOver.start();
        this.relay = new Relay(rows.database, outbox, OutboxListener.NONE, settings);
        this.frozen = new FreezingRelay(rows, redis.outbox, settings);
    }

    /** Plays a sequence with ids of its own, and looks at the end whether database and Redis are as the model says. */
    void play(List<OrderStep> steps) throws Exception {
        prefix = "s" + ++played + "-";
        model = new OrderModel();
        for (OrderStep step : steps) {
            if (step instanceof Transaction one) {
                run(one);
            } else {
                strike((Fault) step);
            }
        }
        drain();
        compare();
    }

    private void run(Transaction one) {
        List<Runnable> effects = new ArrayList<>();
        transaction.executeWithoutResult(status -> {
            Object savepoint = null;
            for (int i = 0; i < one.calls().size(); i++) {
                if (i == one.savepoint()) {
                    savepoint = status.createSavepoint();
                }
                Runnable effect = call(one.calls().get(i));
                if (savepoint == null) {
                    effects.add(effect);
                }
            }
            if (savepoint != null) {
                status.rollbackToSavepoint(savepoint);
            }
            end(status, one.commit());
        });
        if (one.commit()) {
            effects.forEach(Runnable::run);
        }
    }

    private static void end(TransactionStatus status, boolean commit) {
        if (!commit) {
            status.setRollbackOnly();
        }
    }

    /** Makes a call; what it means for the model if it is committed. */
    private Runnable call(Call call) {
        String id = prefix + call.id();
        Duration delay = Duration.ofHours(call.hours());
        return switch (call.kind()) {
            case SCHEDULE -> {
                OutgoingMessage message = OutgoingMessage.to(TOPIC)
                        .id(id)
                        .payload(new byte[] {1})
                        .delay(delay)
                        .ifExists(call.policy())
                        .build();
                assertThat(sender.schedule(message)).isNotNull();
                yield () -> model.schedule(id, message.generation(), call.policy(), call.hours());
            }
            case CANCEL -> {
                assertThat(sender.cancel(TOPIC, id)).isNotNull();
                yield () -> model.cancel(id);
            }
            case RESCHEDULE -> {
                assertThat(sender.reschedule(TOPIC, id, Delay.of(delay))).isNotNull();
                yield () -> model.reschedule(id, call.hours());
            }
        };
    }

    private void strike(Fault fault) throws Exception {
        switch (fault) {
            case HAND_OVER -> handOver();
            case HAND_OVER_LOST -> offered.clear();
            case HAND_OVER_WITHOUT_REPLY -> {
                loseNextReply();
                handOver();
            }
            case RELAY -> relay();
            case RELAY_WITHOUT_REPLY -> {
                loseNextReply();
                relay();
            }
            case FREEZE -> {
                if (!frozen.isFrozen()) {
                    rows.freeRows();
                    frozen.freeze();
                }
            }
            case THAW -> frozen.thaw();
        }
        outbox.beforeReply = () -> {};
    }

    private void loseNextReply() {
        outbox.beforeNextReply(() -> {
            throw new RedisUnavailableException("the reply is lost", null, null, null);
        });
    }

    private void handOver() throws Exception {
        List<CommittedChange> taken = List.copyOf(offered);
        offered.clear();
        handOver.offer(taken);
        CompletableFuture.allOf(taken.stream().map(CommittedChange::answer).toArray(CompletableFuture[]::new))
                .get(1, TimeUnit.MINUTES);
    }

    private void relay() {
        rows.freeRows();
        try {
            relay.runOnce();
        } catch (RedisUnavailableException replyIsLost) {
            assertThat(replyIsLost).hasMessageContaining("the reply is lost");
        }
    }

    private void drain() throws Exception {
        offered.clear();
        frozen.thaw();
        OutboxFixture.await().until(() -> {
            relay();
            return rows.outboxRows() == 0;
        });
    }

    private void compare() {
        model.statuses()
                .forEach((message, status) -> assertThat(rows.status(message.id(), message.generation()))
                        .as("status of %s", message)
                        .isEqualTo(status));
        Instant now = Instant.now();
        for (String id : model.ids()) {
            Optional<MessageInfo> found = redis.client.find(TOPIC, id);
            Optional<OrderModel.Pending> expected = model.pending(id);
            assertThat(found.map(MessageInfo::generation))
                    .as("generation of %s in Redis", id)
                    .isEqualTo(expected.map(OrderModel.Pending::generation));
            expected.ifPresent(pending -> assertThat(found.orElseThrow().due())
                    .as("due time of %s", id)
                    .isCloseTo(now.plus(pending.hours(), ChronoUnit.HOURS), within(10, ChronoUnit.MINUTES)));
        }
    }

    /** Shows that changes came to Redis again, after lost replies and from a frozen relay. */
    void assertFaultsStruck(String play) {
        assertThat(outbox.repeated.get())
                .as("repeated behind lost replies, %s", play)
                .isPositive();
        assertThat(frozen.repeated()).as("repeated by a frozen relay, %s", play).isPositive();
    }

    @Override
    public void close() throws Exception {
        frozen.close();
        handOver.close();
        relay.close();
    }
}
