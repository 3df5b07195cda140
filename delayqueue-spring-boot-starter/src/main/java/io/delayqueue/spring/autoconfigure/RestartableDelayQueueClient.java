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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * A client that follows its connection factory, which shuts its Redis client down when it is stopped, and creates another when
 * it is started again: by the context, at each stop, pause and start; or by hand. This closes the core's client before or
 * after that, creates another over the new Redis client, and moves running subscriptions to it.
 */
public final class RestartableDelayQueueClient implements DelayQueueClient, SmartLifecycle {

    /** Interval at which the connection factory is looked at: consumers don't call this, so they would never notice. */
    private static final long WATCH_MS = 500;

    private static final Logger log = LoggerFactory.getLogger(RestartableDelayQueueClient.class);

    private final ClientsOfFactory clients;
    private final Set<MovableSubscription> subscriptions = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile DelayQueueClient current;
    private volatile boolean running = true;
    private ScheduledExecutorService watch;

    /**
     * A running client over the Redis client of a connection factory, for a bean of your own. The context closes it.
     *
     * @throws UnusableConnectionFactoryException if the factory's Redis client is of an unknown type
     */
    public static DelayQueueClient over(LettuceConnectionFactory factory, DelayQueueOptions options) {
        return new RestartableDelayQueueClient(new ClientsOfFactory(factory, options));
    }

    private RestartableDelayQueueClient(ClientsOfFactory clients) {
        this.clients = clients;
        this.current = clients.create();
        this.watch = startWatch();
    }

    @Override
    public void start() {
        lock.lock();
        try {
            if (!running) {
                current = clients.create();
                subscriptions.forEach(subscription -> subscription.moveTo(current));
                running = true;
                watch = startWatch();
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
            watch.shutdownNow();
            current.close();
        } finally {
            lock.unlock();
        }
    }

    /** The client to call now. */
    private DelayQueueClient current() {
        if (running && clients.wasRestarted()) {
            replace();
        }
        return current;
    }

    private void replace() {
        DelayQueueClient replaced;
        lock.lock();
        try {
            if (!running || !clients.wasRestarted()) {
                return;
            }
            replaced = current;
            current = clients.create();
            subscriptions.forEach(subscription -> subscription.moveTo(current));
        } finally {
            lock.unlock();
        }
        log.info("The connection factory was restarted: the delay queue uses its new Redis client");
        // waits for handlers, whose messages can't be acked any more and come again after their leases
        threads("delayqueue-replaced-").newThread(replaced::close).start();
    }

    private ScheduledExecutorService startWatch() {
        ScheduledExecutorService started =
                Executors.newSingleThreadScheduledExecutor(threads("delayqueue-connection-watch-"));
        started.scheduleWithFixedDelay(this::look, WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
        return started;
    }

    private void look() {
        try {
            current();
        } catch (RuntimeException e) {
            log.warn("The connection factory was restarted, but its Redis client can't be used yet", e);
        }
    }

    private static ThreadFactory threads(String prefix) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
        threads.setDaemon(true);
        return threads;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return clients.phase();
    }

    @Override
    public DelayQueueOptions options() {
        return current().options();
    }

    @Override
    public Executor completionExecutor() {
        return current().completionExecutor();
    }

    @Override
    public AsyncOperations completingOn(Executor executor) {
        return new CurrentAsyncOperations(() -> current().completingOn(executor));
    }

    @Override
    public ScheduleResult schedule(OutgoingMessage message) {
        return current().schedule(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return current().scheduleAsync(message);
    }

    @Override
    public List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        return current().scheduleAll(messages);
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        return current().scheduleAllAsync(messages);
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        return current().cancel(topic, id);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return current().cancelAsync(topic, id);
    }

    @Override
    public Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        return current().cancelAll(topic, ids);
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        return current().cancelAllAsync(topic, ids);
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Delay delay) {
        return current().reschedule(topic, id, delay);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        return current().rescheduleAsync(topic, id, delay);
    }

    @Override
    public Optional<MessageInfo> find(String topic, String id) {
        return current().find(topic, id);
    }

    @Override
    public CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id) {
        return current().findAsync(topic, id);
    }

    @Override
    public TopicStats stats(String topic) {
        return current().stats(topic);
    }

    @Override
    public Map<String, TopicStats> stats(Collection<String> topics) {
        return current().stats(topics);
    }

    @Override
    public Map<String, TopicStats> reachableStats(Collection<String> topics) {
        return current().reachableStats(topics);
    }

    @Override
    public Set<String> topics() {
        return current().topics();
    }

    @Override
    public void pause(String topic) {
        current().pause(topic);
    }

    @Override
    public void resume(String topic) {
        current().resume(topic);
    }

    @Override
    public DeadLetters deadLetters(String topic) {
        return current().deadLetters(topic);
    }

    @Override
    public PendingMessages pending(String topic) {
        return current().pending(topic);
    }

    @Override
    public InFlightMessages inFlight(String topic, int limit) {
        return current().inFlight(topic, limit);
    }

    @Override
    public Outbox outbox(OutboxOptions outboxOptions) {
        return new CurrentOutbox(() -> current().outbox(outboxOptions));
    }

    @Override
    public Survey survey(String topic) {
        return current().survey(topic);
    }

    @Override
    public DeleteTopicOutcome deleteTopic(String topic) {
        return current().deleteTopic(topic);
    }

    @Override
    public DeleteTopicOutcome forceDeleteTopic(String topic) {
        return current().forceDeleteTopic(topic);
    }

    @Override
    public Subscription subscribe(String topic, ConsumerOptions options, MessageHandler handler) {
        return new MovableSubscription(current(), topic, options, handler, subscriptions);
    }

    @Override
    public PullConsumer pullConsumer(String topic, PullOptions options) {
        return new MovablePullConsumer(this::current, topic, options);
    }

    @Override
    public List<ServerReport> inspectServers() {
        return current().inspectServers();
    }
}
