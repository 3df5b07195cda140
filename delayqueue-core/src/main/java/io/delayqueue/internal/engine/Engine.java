package io.delayqueue.internal.engine;

import io.delayqueue.AsyncOperations;
import io.delayqueue.CancelOutcome;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DeadLetters;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.InFlightMessages;
import io.delayqueue.MessageHandler;
import io.delayqueue.MessageInfo;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.ServerReport;
import io.delayqueue.Subscription;
import io.delayqueue.Survey;
import io.delayqueue.TopicStats;
import io.delayqueue.WakeUp;
import io.delayqueue.internal.engine.consume.Subscriptions;
import io.delayqueue.internal.engine.dispatch.Dispatcher;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.DeadLetterRetention;
import io.delayqueue.internal.engine.shared.SafeObserver;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The client's implementation: schedules through the {@link MessageScheduler}, consumes through what its {@link ConsumerFactory} makes,
 * and asks the store the rest.
 */
public final class Engine implements DelayQueueClient {

    private final ClientContext client;
    private final RegisteredTopics topics;
    private final CallFailures failures;
    private final MessageScheduler scheduler;
    private final MessageCalls calls;
    private final BlockingCalls blocking;
    private final Executor completionExecutor;
    private final AsyncCalls async;
    private final TopicOperator operator;
    private final Dispatcher dispatcher;
    private final Subscriptions subscriptions;
    private final ConsumerFactory consumers;
    private final CallChecks checks;
    private final Outboxes outboxes;

    /** An engine that owns the store: closing the one closes the other. */
    public Engine(MessageStore store, DelayQueueOptions options) {
        this.checks = new CallChecks(options);
        ScheduledExecutorService timer = ClientTimer.start();
        TopicPartitions partitions = new TopicPartitions(store, options, timer);
        SafeObserver observer = new SafeObserver(options.observer());
        this.client = new ClientContext(
                options,
                store,
                partitions,
                new DeadLetterRetention(store, partitions, options, observer, timer),
                observer,
                timer,
                new ThrottledLog("Redis"));
        this.topics = new RegisteredTopics(client);
        this.failures = new CallFailures(checks::isClosed);
        this.scheduler = new MessageScheduler(client, topics, failures, this::wakeUpHere);
        this.calls = new MessageCalls(client, failures, this::wakeUpHere);
        this.blocking = new BlockingCalls(checks, scheduler, calls, options);
        this.operator = new TopicOperator(client, checks, topics);
        Executor users = options.completionExecutor();
        this.completionExecutor = users != null ? users : new CompletionThreads();
        this.async = async(completionExecutor);
        this.outboxes = new Outboxes(new OutboxContext(
                client,
                checks,
                failures,
                topics,
                scheduler,
                this::wakeUpHere,
                new AppliedMemory(store, partitions),
                new KnownEpochs()));
        this.dispatcher = new Dispatcher(client.timer(), options.handlerThreadFactory());
        this.subscriptions = new Subscriptions(options.maxInFlightBytes(), timer);
        this.consumers = new ConsumerFactory(client, checks, topics, dispatcher, subscriptions);
    }

    private AsyncCalls async(Executor executor) {
        return new AsyncCalls(
                checks, scheduler, calls, new UserFutures(executor, options().maxWaitingMessages()));
    }

    @Override
    public DelayQueueOptions options() {
        return client.options();
    }

    @Override
    public Executor completionExecutor() {
        return async.futures().forCaller(null, null);
    }

    @Override
    public AsyncOperations completingOn(Executor executor) {
        return async(executor);
    }

    @Override
    public ScheduleResult schedule(OutgoingMessage message) {
        return blocking.schedule(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return async.scheduleAsync(message);
    }

    @Override
    public List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        return blocking.scheduleAll(messages);
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        return async.scheduleAllAsync(messages);
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        return blocking.cancel(topic, id);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return async.cancelAsync(topic, id);
    }

    @Override
    public Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        return blocking.cancelAll(topic, ids);
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        return async.cancelAllAsync(topic, ids);
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Delay delay) {
        return blocking.reschedule(topic, id, delay);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        return async.rescheduleAsync(topic, id, delay);
    }

    @Override
    public Optional<MessageInfo> find(String topic, String id) {
        return blocking.find(topic, id);
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id) {
        return async.findAsync(topic, id);
    }

    @Override
    public TopicStats stats(String topic) {
        return stats(List.of(topic)).values().iterator().next();
    }

    @Override
    public Map<String, TopicStats> stats(Collection<String> topics) {
        return operator.stats(topics);
    }

    @Override
    public Map<String, TopicStats> reachableStats(Collection<String> topics) {
        return operator.reachableStats(topics);
    }

    @Override
    public Set<String> topics() {
        return operator.topics();
    }

    @Override
    public void pause(String topic) {
        operator.setPaused(topic, true);
    }

    @Override
    public void resume(String topic) {
        operator.setPaused(topic, false);
        wakeUpHere(topic, 0);
    }

    @Override
    public DeadLetters deadLetters(String topic) {
        return operator.deadLetters(topic, () -> wakeUpHere(topic, 0));
    }

    @Override
    public PendingMessages pending(String topic) {
        return operator.pending(topic);
    }

    @Override
    public InFlightMessages inFlight(String topic, int limit) {
        return operator.inFlight(topic, limit);
    }

    @Override
    public Outbox outbox(OutboxOptions outboxOptions) {
        return outboxes.of(outboxOptions);
    }

    @Override
    public Survey survey(String topic) {
        return operator.survey(topic);
    }

    @Override
    public DeleteTopicOutcome deleteTopic(String topic) {
        return operator.delete(topic, false);
    }

    @Override
    public DeleteTopicOutcome forceDeleteTopic(String topic) {
        return operator.delete(topic, true);
    }

    @Override
    public Subscription subscribe(String topic, ConsumerOptions consumerOptions, MessageHandler handler) {
        return consumers.subscription(topic, consumerOptions, handler);
    }

    @Override
    public PullConsumer pullConsumer(String topic, PullOptions pullOptions) {
        return consumers.pullConsumer(topic, pullOptions, async.futures(), failures);
    }

    @Override
    public List<ServerReport> inspectServers() {
        checks.requireOpen(null);
        // servers are found before they are asked
        return new BlockingCall(client.options().commandTimeout().multipliedBy(2))
                .await(client.store().inspect(), null, null);
    }

    @Override
    public void close() {
        if (!checks.close()) {
            return;
        }
        subscriptions.close(client.options().shutdownTimeout());
        scheduler.close();
        dispatcher.close();
        client.timer().shutdownNow();
        client.store().close();
        outboxes.close();
        if (completionExecutor instanceof CompletionThreads own) {
            own.close();
        }
    }

    /** Number of messages whose {@code schedule} calls are not answered yet. */
    long waitingMessages() {
        return scheduler.waitingMessages();
    }

    /** Number of topics and partitions that are remembered. */
    int rememberedNames() {
        return scheduler.rememberedPartitions()
                + topics.size()
                + client.partitions().remembered();
    }

    /** Without wake-ups from Redis, this process wakes its consumers for the messages that it schedules itself. */
    private void wakeUpHere(String topic, long waitMicros) {
        if (client.options().wakeUp() == WakeUp.POLL) {
            subscriptions.wakeUp(topic, waitMicros);
        }
    }
}
