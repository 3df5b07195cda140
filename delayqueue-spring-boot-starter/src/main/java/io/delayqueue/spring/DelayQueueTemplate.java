package io.delayqueue.spring;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.lang.CheckReturnValue;

/**
 * {@link DelayQueueOperations} over a {@link DelayQueueClient}: converts payloads, adds headers of all
 * {@link HeaderContributor}s, and sends at once or after commit. Safe for use by several threads.
 */
public class DelayQueueTemplate implements DelayQueueOperations, SmartLifecycle {

    private final DelayQueueClient client;
    private final PayloadConverter converter;
    private final List<HeaderContributor> headerContributors;
    private final MessageSender sender;
    private final @Nullable CommittedOperations committed;
    private volatile boolean running = true;

    /**
     * A template that sends at once, without header contributors. For a bean, let {@code DelayQueueTemplateConfigurer} add the
     * application's.
     */
    public DelayQueueTemplate(DelayQueueClient client, PayloadConverter converter) {
        this(client, converter, List.of());
    }

    /** A template that sends at once, and calls these contributors in order. */
    public DelayQueueTemplate(
            DelayQueueClient client, PayloadConverter converter, List<HeaderContributor> headerContributors) {
        this(client, converter, headerContributors, new ImmediateSender(client), null);
    }

    private DelayQueueTemplate(
            DelayQueueClient client,
            PayloadConverter converter,
            List<HeaderContributor> headerContributors,
            MessageSender sender,
            @Nullable CommittedOperations committed) {
        this.client = client;
        this.converter = converter;
        this.headerContributors = List.copyOf(headerContributors);
        this.sender = sender;
        this.committed = committed;
    }

    /** A template like this one that calls these contributors, too. Headers of its own contributors take precedence. */
    @CheckReturnValue
    public DelayQueueTemplate withHeaderContributors(List<HeaderContributor> contributors) {
        List<HeaderContributor> all = new ArrayList<>(contributors);
        all.addAll(headerContributors);
        return new DelayQueueTemplate(client, converter, all, sender, committed);
    }

    /**
     * A template like this one that schedules, cancels and reschedules after the commit of the caller's Spring transaction, as
     * {@link DelayQueueOperations} describes. Needs spring-tx. A payload larger than
     * {@link io.delayqueue.DelayQueueOptions#maxPayload()} is refused before the commit. Define the template as a bean, or call
     * {@link #stop()} before the client is closed.
     */
    @CheckReturnValue
    public DelayQueueTemplate transactionAware() {
        CommittedOperations operations = new CommittedOperations(client);
        return new DelayQueueTemplate(
                client, converter, headerContributors, new AfterCommitSender(client, operations), operations);
    }

    /** A template like this one that schedules, cancels and reschedules through a sender. */
    @CheckReturnValue
    public DelayQueueTemplate withMessageSender(MessageSender messageSender) {
        return new DelayQueueTemplate(client, converter, headerContributors, messageSender, null);
    }

    /** The client that this template calls. */
    public DelayQueueClient client() {
        return client;
    }

    /** Whether this template schedules, cancels and reschedules through this sender. */
    public boolean sendsWith(MessageSender messageSender) {
        return sender == messageSender;
    }

    /** Ends {@link #stop()}: operations that fail are repeated again. */
    @Override
    public void start() {
        if (committed != null) {
            committed.start();
        }
        running = true;
    }

    /**
     * Waits until Redis has answered the operations of committed transactions, at most
     * {@link io.delayqueue.DelayQueueOptions#shutdownTimeout()}. Operations unanswered by then are given up and logged. From then on,
     * operations that fail are not repeated.
     */
    @Override
    public void stop() {
        if (committed != null) {
            committed.stop(client.options().shutdownTimeout());
        }
        running = false;
    }

    /** False from {@link #stop()} to {@link #start()}. The template schedules in either state. */
    @Override
    public boolean isRunning() {
        return running;
    }

    /** Lifecycle phase: stops after listeners and web servers, and before the client. */
    @Override
    public int getPhase() {
        return client instanceof Phased phased ? phased.getPhase() + 1 : 0;
    }

    @Override
    public String schedule(String topic, Object payload, Duration delay) {
        return message(topic, payload).delay(delay).schedule().id();
    }

    @Override
    public String schedule(String topic, Object payload, Instant due) {
        return message(topic, payload).dueAt(due).schedule().id();
    }

    @Override
    public CompletableFuture<String> scheduleAsync(String topic, Object payload, Duration delay) {
        return LinkedFuture.of(message(topic, payload).delay(delay).scheduleAsync(), ScheduleResult::id);
    }

    @Override
    public CompletableFuture<String> scheduleAsync(String topic, Object payload, Instant due) {
        return LinkedFuture.of(message(topic, payload).dueAt(due).scheduleAsync(), ScheduleResult::id);
    }

    @Override
    public MessageSpec message(String topic, Object payload) {
        return message(topic, payload, () -> converter.toBytes(payload));
    }

    @Override
    public MessageSpec message(String topic, Object payload, Type payloadType) {
        return message(topic, payload, () -> converter.toBytes(payload, payloadType));
    }

    private MessageSpec message(String topic, Object payload, Supplier<byte[]> bytes) {
        OutgoingMessage.Builder message = OutgoingMessage.to(topic);
        if (payload == null) {
            throw new IllegalArgumentException("payload of a message to topic '" + topic + "' must not be null");
        }
        headerContributors.forEach(contributor -> contributor.addTo(topic, message::header));
        message.payload(bytes.get());
        return new TemplateMessageSpec(message, sender);
    }

    @Override
    public ScheduleResult schedule(OutgoingMessage message) {
        return sender.schedule(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return sender.scheduleAsync(message);
    }

    @Override
    public List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        return sender.scheduleAll(messages);
    }

    @Override
    public List<String> scheduleAll(String topic, Collection<?> payloads, Duration delay) {
        List<OutgoingMessage> messages = payloads.stream()
                .map(payload -> message(topic, payload).delay(delay).build())
                .toList();
        return sender.scheduleAll(messages).stream().map(ScheduleResult::id).toList();
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        return sender.scheduleAllAsync(messages);
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        return sender.cancel(topic, id);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return sender.cancelAsync(topic, id);
    }

    @Override
    public Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        return sender.cancelAll(topic, ids);
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        return sender.cancelAllAsync(topic, ids);
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Duration delay) {
        return sender.reschedule(topic, id, Delay.of(delay));
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Instant due) {
        return sender.reschedule(topic, id, Delay.until(due));
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Duration delay) {
        return sender.rescheduleAsync(topic, id, Delay.of(delay));
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Instant due) {
        return sender.rescheduleAsync(topic, id, Delay.until(due));
    }

    @Override
    public Optional<MessageInfo> find(String topic, String id) {
        return client.find(topic, id);
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id) {
        return client.findAsync(topic, id);
    }
}
