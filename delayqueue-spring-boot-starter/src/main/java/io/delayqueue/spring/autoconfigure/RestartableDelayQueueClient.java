package io.delayqueue.spring.autoconfigure;

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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A client that goes on when its connection factory is restarted. A factory shuts its Redis client down when it is stopped, and creates
 * another when it is started again: by the context, at each stop, pause and start, or by hand. This closes the core's client before or
 * after that, creates another over the new Redis client, and moves running subscriptions to it.
 */
public final class RestartableDelayQueueClient implements DelayQueueClient, SmartLifecycle {

    private final CurrentClient current;

    /**
     * A running client over the Redis client of a connection factory, for a bean of your own. The context closes it.
     *
     * @throws UnusableConnectionFactoryException if the factory's Redis client is of an unknown type
     */
    public static DelayQueueClient create(LettuceConnectionFactory factory, DelayQueueOptions options) {
        return new RestartableDelayQueueClient(new ClientsOfFactory(factory, options));
    }

    private RestartableDelayQueueClient(ClientsOfFactory clients) {
        this.current = new CurrentClient(clients);
    }

    @Override
    public void start() {
        current.start();
    }

    @Override
    public void stop() {
        close();
    }

    @Override
    public void close() {
        current.close();
    }

    @Override
    public boolean isRunning() {
        return current.isRunning();
    }

    @Override
    public int getPhase() {
        return current.phase();
    }

    @Override
    public DelayQueueOptions options() {
        return current.get().options();
    }

    @Override
    public Executor completionExecutor() {
        return current.get().completionExecutor();
    }

    @Override
    public AsyncOperations completingOn(Executor executor) {
        return new CurrentAsyncOperations(() -> current.get().completingOn(executor));
    }

    @Override
    public ScheduleResult schedule(OutgoingMessage message) {
        return current.get().schedule(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return current.get().scheduleAsync(message);
    }

    @Override
    public List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        return current.get().scheduleAll(messages);
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        return current.get().scheduleAllAsync(messages);
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        return current.get().cancel(topic, id);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return current.get().cancelAsync(topic, id);
    }

    @Override
    public Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        return current.get().cancelAll(topic, ids);
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        return current.get().cancelAllAsync(topic, ids);
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Delay delay) {
        return current.get().reschedule(topic, id, delay);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        return current.get().rescheduleAsync(topic, id, delay);
    }

    @Override
    public Optional<MessageInfo> find(String topic, String id) {
        return current.get().find(topic, id);
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id) {
        return current.get().findAsync(topic, id);
    }

    @Override
    public TopicStats stats(String topic) {
        return current.get().stats(topic);
    }

    @Override
    public Map<String, TopicStats> stats(Collection<String> topics) {
        return current.get().stats(topics);
    }

    @Override
    public Map<String, TopicStats> reachableStats(Collection<String> topics) {
        return current.get().reachableStats(topics);
    }

    @Override
    public Set<String> topics() {
        return current.get().topics();
    }

    @Override
    public void pause(String topic) {
        current.get().pause(topic);
    }

    @Override
    public void resume(String topic) {
        current.get().resume(topic);
    }

    @Override
    public DeadLetters deadLetters(String topic) {
        return current.get().deadLetters(topic);
    }

    @Override
    public PendingMessages pending(String topic) {
        return current.get().pending(topic);
    }

    @Override
    public InFlightMessages inFlight(String topic, int limit) {
        return current.get().inFlight(topic, limit);
    }

    @Override
    public Outbox outbox(OutboxOptions outboxOptions) {
        return new CurrentOutbox(() -> current.get().outbox(outboxOptions));
    }

    @Override
    public Survey survey(String topic) {
        return current.get().survey(topic);
    }

    @Override
    public DeleteTopicOutcome deleteTopic(String topic) {
        return current.get().deleteTopic(topic);
    }

    @Override
    public DeleteTopicOutcome forceDeleteTopic(String topic) {
        return current.get().forceDeleteTopic(topic);
    }

    @Override
    public Subscription subscribe(String topic, ConsumerOptions options, MessageHandler handler) {
        return new MovableSubscription(current.get(), topic, options, handler, current.subscriptions());
    }

    @Override
    public PullConsumer pullConsumer(String topic, PullOptions options) {
        return new MovablePullConsumer(current::get, topic, options);
    }

    @Override
    public List<ServerReport> inspectServers() {
        return current.get().inspectServers();
    }
}
