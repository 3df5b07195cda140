package io.delayqueue.spring.autoconfigure;

import io.delayqueue.CancelOutcome;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DeadLetters;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.MessageHandler;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.ServerReport;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/**
 * A client that follows the lifecycle of the application context. A connection factory shuts its Redis client down when the
 * context is stopped or paused, and creates another when the context is started again. This closes the core's client before
 * that, and creates another over the new Redis client.
 */
final class RestartableDelayQueueClient implements DelayQueueClient, SmartLifecycle {

    private final Supplier<DelayQueueClient> create;
    private final int phase;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile DelayQueueClient current;
    private volatile boolean running = true;

    /**
     * A running client.
     *
     * @param create creates the core's client, now and at each restart
     * @param phase lifecycle phase: starts after, and stops before, the connection factory
     */
    RestartableDelayQueueClient(Supplier<DelayQueueClient> create, int phase) {
        this.create = create;
        this.phase = phase;
        this.current = create.get();
    }

    @Override
    public void start() {
        lock.lock();
        try {
            if (!running) {
                current = create.get();
                running = true;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop() {
        close();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            running = false;
            current.close();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    @Override
    public DelayQueueOptions options() {
        return current.options();
    }

    @Override
    public ScheduleResult schedule(OutgoingMessage message) {
        return current.schedule(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return current.scheduleAsync(message);
    }

    @Override
    public List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        return current.scheduleAll(messages);
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        return current.scheduleAllAsync(messages);
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        return current.cancel(topic, id);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return current.cancelAsync(topic, id);
    }

    @Override
    public Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        return current.cancelAll(topic, ids);
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        return current.cancelAllAsync(topic, ids);
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Delay delay) {
        return current.reschedule(topic, id, delay);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        return current.rescheduleAsync(topic, id, delay);
    }

    @Override
    public Optional<MessageInfo> find(String topic, String id) {
        return current.find(topic, id);
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id) {
        return current.findAsync(topic, id);
    }

    @Override
    public TopicStats stats(String topic) {
        return current.stats(topic);
    }

    @Override
    public Map<String, TopicStats> stats(Collection<String> topics) {
        return current.stats(topics);
    }

    @Override
    public Set<String> topics() {
        return current.topics();
    }

    @Override
    public void pause(String topic) {
        current.pause(topic);
    }

    @Override
    public void resume(String topic) {
        current.resume(topic);
    }

    @Override
    public DeadLetters deadLetters(String topic) {
        return current.deadLetters(topic);
    }

    @Override
    public PendingMessages pending(String topic) {
        return current.pending(topic);
    }

    @Override
    public DeleteTopicOutcome deleteTopic(String topic) {
        return current.deleteTopic(topic);
    }

    @Override
    public DeleteTopicOutcome forceDeleteTopic(String topic) {
        return current.forceDeleteTopic(topic);
    }

    @Override
    public Subscription subscribe(String topic, ConsumerOptions options, MessageHandler handler) {
        return current.subscribe(topic, options, handler);
    }

    @Override
    public List<ServerReport> inspectServers() {
        return current.inspectServers();
    }
}
