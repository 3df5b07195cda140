package io.delayqueue.gateway.sqs.action;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.ClosingConsumers;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.limit.TopicsInUse;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.web.server.context.WebServerGracefulShutdownLifecycle;
import org.springframework.context.SmartLifecycle;

/** Pull consumers of queues. Queues of the same number of attempts share their options. Safe for use by several threads. */
public final class SqsConsumers implements SmartLifecycle, DisposableBean {

    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(10);

    private final DelayQueueClient client;
    private final Duration deliveryLease;
    private final TopicsInUse inUse;
    private final CallerShares waiting;
    private final ToIntFunction<String> maxAttempts;
    private final Duration idleTimeout;
    private final AnswerThreads answers;
    private final ClosingConsumers closing = new ClosingConsumers();
    private final Map<Integer, Group> byAttempts = new ConcurrentHashMap<>();
    private volatile boolean running;

    /**
     * Consumers of a client.
     *
     * @param deliveryLease lease of messages until the client has them
     * @param inUse limits the topics of each key
     * @param waiting limits the receives of each key
     * @param maxAttempts the largest number of receives of a topic's messages
     * @param answers of the answers with messages
     */
    public SqsConsumers(
            DelayQueueClient client,
            Duration deliveryLease,
            TopicsInUse inUse,
            CallerShares waiting,
            ToIntFunction<String> maxAttempts,
            AnswerThreads answers) {
        this(client, deliveryLease, inUse, waiting, maxAttempts, answers, IDLE_TIMEOUT);
    }

    SqsConsumers(
            DelayQueueClient client,
            Duration deliveryLease,
            TopicsInUse inUse,
            CallerShares waiting,
            ToIntFunction<String> maxAttempts,
            AnswerThreads answers,
            Duration idleTimeout) {
        this.answers = answers;
        this.idleTimeout = idleTimeout;
        this.client = client;
        this.deliveryLease = deliveryLease;
        this.inUse = inUse;
        this.waiting = waiting;
        this.maxAttempts = maxAttempts;
    }

    /** Makes a call that settles a message of a call's topic, or changes its lease. It counts against no key. */
    <T> CompletableFuture<T> settle(SqsCall by, Function<PullConsumer, CompletableFuture<T>> call) {
        String topic = by.topic();
        return of(topic).settle(topic, call);
    }

    /** As {@link #settle} for several messages: a future for each. */
    <T> List<CompletableFuture<T>> settleAll(SqsCall by, Function<PullConsumer, List<CompletableFuture<T>>> call) {
        String topic = by.topic();
        return of(topic).settleAll(topic, call);
    }

    /**
     * Waits for messages; cancelling the future ends the wait.
     *
     * @throws SqsException that the key is over a limit, by its name; nothing was claimed
     */
    CompletableFuture<List<PulledMessage>> receive(ReceiveMessage.Receive receive) {
        Caller caller = receive.call().caller();
        if (!waiting.tryBegin(caller)) {
            throw new SqsException(
                    SqsError.REQUEST_THROTTLED,
                    "The key " + caller.name() + " has " + waiting.most()
                            + " receives that wait in this instance, the maximum.");
        }
        CompletableFuture<List<PulledMessage>> received;
        try {
            received = inUse(receive);
        } catch (RuntimeException e) {
            waiting.end(caller);
            throw e;
        }
        received.whenComplete((messages, failure) -> waiting.end(caller));
        return received;
    }

    private CompletableFuture<List<PulledMessage>> inUse(ReceiveMessage.Receive receive) {
        String topic = receive.call().topic();
        return inUse.during(
                receive.call().caller().name(),
                topic,
                () -> receive.consumers().receive(topic, receive.max(), receive.longestWait()));
    }

    /** Receives that wait for messages in this instance. */
    public int waiting() {
        return sum(PullConsumers::waiting);
    }

    /** Settlements, changes of leases and confirmations of this instance that wait for Redis. */
    public int unsettled() {
        return sum(PullConsumers::unsettled);
    }

    private int sum(ToIntFunction<PullConsumers> number) {
        return byAttempts.values().stream()
                .mapToInt(group -> number.applyAsInt(group.consumers))
                .sum();
    }

    /** Bound and threads of the answers with messages. */
    public AnswerThreads answers() {
        return answers;
    }

    /** Lease of messages until the client has them. */
    public Duration deliveryLease() {
        return deliveryLease;
    }

    /** The consumers with the present options of a topic. */
    public PullConsumers of(String topic) {
        int attempts = maxAttempts.applyAsInt(topic);
        Group group = byAttempts.get(attempts);
        if (group == null) {
            closeUnused();
            group = byAttempts.computeIfAbsent(attempts, this::create);
        }
        group.lastUsed = System.nanoTime();
        return group.consumers;
    }

    /** Those of a number of attempts that no queue has any more. */
    private void closeUnused() {
        long now = System.nanoTime();
        byAttempts.values().removeIf(group -> {
            boolean unused = now - group.lastUsed > idleTimeout.toNanos();
            if (unused) {
                group.consumers.closeLater();
            }
            return unused;
        });
    }

    /** Numbers of attempts that queues have, or had a while ago. */
    int groups() {
        return byAttempts.size();
    }

    private Group create(int attempts) {
        PullOptions options =
                PullOptions.builder().lease(deliveryLease).maxAttempts(attempts).build();
        PullConsumers consumers = new PullConsumers(client, options, idleTimeout, answers, closing);
        if (running) {
            consumers.start();
        }
        return new Group(consumers);
    }

    @Override
    public void start() {
        running = true;
        byAttempts.values().forEach(group -> group.consumers.start());
    }

    /** Ends waiting receives. Messages can still be settled, until the context is closed. */
    @Override
    public void stop() {
        running = false;
        byAttempts.values().forEach(group -> group.consumers.stop());
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the web server waits for its requests. */
    @Override
    public int getPhase() {
        return WebServerGracefulShutdownLifecycle.SMART_LIFECYCLE_PHASE + 256;
    }

    @Override
    public void destroy() {
        byAttempts.values().forEach(group -> group.consumers.destroy());
    }

    /** The consumers of queues with the same number of attempts. */
    private static final class Group {

        private final PullConsumers consumers;
        private volatile long lastUsed = System.nanoTime();

        private Group(PullConsumers consumers) {
            this.consumers = consumers;
        }
    }
}
