package io.delayqueue.jdbc.outbox;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.jdbc.outbox.CallerTransaction.State;
import io.delayqueue.spring.MessageSender;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Records calls in the outbox, in the caller's transaction or in one of their own. They are handed over to Redis after the commit.
 *
 * <p>A call inside a transaction answers what was recorded: {@code SCHEDULED} or {@code AFTER_COMMIT}. Its future completes after the
 * commit, with Redis' answer if the hand-over has it, and is cancelled by a rollback; a rollback that Spring does not see, such as one of
 * the JDBC connection to a savepoint, leaves it to complete as if the call were only recorded. A call without a transaction waits 0.2 s at
 * most for Redis' answer.
 *
 * <p>The database's failures are thrown as Spring's {@link org.springframework.dao.DataAccessException}s, by the forms with futures too.
 */
public final class JournalSender implements MessageSender {

    private final DelayQueueClient client;
    private final OutboxWriter writer;
    private final HandOver handOver;
    private final WriteTransactions transactions;
    private final Answers answers;
    private final Function<String, @Nullable String> trace;

    /**
     * A sender.
     *
     * @param client sends the outbox; tells the largest payload, and where futures complete
     * @param transactions transactions that rows are written in
     * @param writer writes rows
     * @param handOver takes rows after their commit
     * @param trace trace context of a call that has no message, by its topic; null if there is none
     */
    public JournalSender(
            DelayQueueClient client,
            WriteTransactions transactions,
            OutboxWriter writer,
            HandOver handOver,
            Function<String, @Nullable String> trace) {
        this.client = client;
        this.transactions = transactions;
        this.writer = writer;
        this.handOver = handOver;
        this.answers = new Answers(client.completionExecutor());
        this.trace = trace;
    }

    /** The outbox is sent by that client: another one has another Redis, or a key prefix of its own. */
    @Override
    public boolean supports(DelayQueueClient other) {
        return other == client;
    }

    @Override
    public ScheduleResult schedule(OutgoingMessage message) {
        return scheduleAll(List.of(message)).get(0);
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        List<CommittedChange> changes = record(List.of(message)).changes;
        return answers.future(changes, () -> Answers.scheduled(changes.get(0)));
    }

    @Override
    public List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        return await(record(messages)).stream().map(Answers::scheduled).toList();
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        List<CommittedChange> changes = record(messages).changes;
        return answers.future(
                changes, () -> changes.stream().map(Answers::scheduled).toList());
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        return Answers.cancelled(await(recordCancels(topic, List.of(id))).get(0));
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        List<CommittedChange> changes = recordCancels(topic, List.of(id)).changes;
        return answers.future(changes, () -> Answers.cancelled(changes.get(0)));
    }

    @Override
    public Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        return cancelled(await(recordCancels(topic, ids)));
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        List<CommittedChange> changes = recordCancels(topic, ids).changes;
        return answers.future(changes, () -> cancelled(changes));
    }

    private static Map<String, CancelOutcome> cancelled(List<CommittedChange> changes) {
        Map<String, CancelOutcome> outcomes = new LinkedHashMap<>();
        changes.forEach(change -> outcomes.put(change.key().id(), Answers.cancelled(change)));
        return outcomes;
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Delay delay) {
        return Answers.rescheduled(await(recordReschedule(topic, id, delay)).get(0));
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        List<CommittedChange> changes = recordReschedule(topic, id, delay).changes;
        return answers.future(changes, () -> Answers.rescheduled(changes.get(0)));
    }

    private Recorded record(List<OutgoingMessage> messages) {
        List<OutgoingMessage> copy = List.copyOf(messages);
        copy.forEach(this::check);
        List<CommittedChange> changes = copy.stream()
                .map(message -> new CommittedChange(new MessageId(message.topic(), message.id()), message.generation()))
                .toList();
        return record(changes, () -> writer.schedule(copy));
    }

    private Recorded recordCancels(String topic, Collection<String> ids) {
        List<CommittedChange> changes = ids.stream()
                .distinct()
                .map(id -> new CommittedChange(RecordedNames.check(topic, id), OutboxOperation.newToken()))
                .toList();
        String traceParent = trace.apply(topic);
        return record(changes, () -> writer.cancel(changes, traceParent));
    }

    private Recorded recordReschedule(String topic, String id, Delay delay) {
        CommittedChange change = new CommittedChange(RecordedNames.check(topic, id), OutboxOperation.newToken());
        String traceParent = trace.apply(topic);
        return record(List.of(change), () -> writer.reschedule(change, delay, traceParent));
    }

    private void check(OutgoingMessage message) {
        RecordedNames.check(message.topic(), message.id());
        int maxPayload = client.options().maxPayload();
        if (message.payload().length > maxPayload) {
            throw new IllegalArgumentException("payload of message '" + message.id() + "' to topic '" + message.topic()
                    + "' has " + message.payload().length + " bytes, more than maxPayload (" + maxPayload + ")");
        }
        client.options().messageCheck().check(message);
    }

    private Recorded record(List<CommittedChange> changes, Runnable rows) {
        if (changes.isEmpty()) {
            return new Recorded(changes, State.ACTIVE);
        }
        State state = transactions.write(rows);
        if (state == State.ACTIVE) {
            WrittenChanges.ofCurrentTransaction(handOver).addAll(changes);
        } else {
            handOver.offer(changes);
        }
        return new Recorded(changes, state);
    }

    /** Only without a transaction: in its hooks, the caller holds a connection that the hand-over may need. */
    private List<CommittedChange> await(Recorded recorded) {
        if (recorded.state == State.NONE) {
            answers.awaitBriefly(recorded.changes);
        }
        return recorded.changes;
    }

    /** Changes, and the caller's transaction. */
    private record Recorded(List<CommittedChange> changes, State state) {}
}
