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

/** Pull consumers of queues. Queues of the same terms and lease share their options. Safe for use by several threads. */
public final class SqsConsumers implements SmartLifecycle, DisposableBean {

    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(10);

    /**
     * Messages of longer visibility timeouts are claimed with the delivery lease. Nobody gets the messages of an instance that dies before
     * its answer until the lease of the claim ends. Most queues have less: SQS' default is 30 s.
     */
    static final Duration LONGEST_CLAIM = Duration.ofMinutes(1);

    private final DelayQueueClient client;
    private final Duration deliveryLease;
    private final TopicsInUse inUse;
    private final CallerShares waiting;
    private final Function<String, Terms> terms;
    private final Duration idleTimeout;
    private final AnswerThreads answers;
    private final ClosingConsumers closing = new ClosingConsumers();
    private final Map<Terms, Group> groups = new ConcurrentHashMap<>();
    private volatile boolean running;

    /**
     * Consumers of a client.
     *
     * @param deliveryLease lease of messages until the client has them, where the visibility timeout is no lease for that
     * @param inUse limits the topics of each key
     * @param waiting limits the receives of each key
     * @param terms on which the messages of a topic are received
     * @param answers of the answers with messages
     */
    public SqsConsumers(
            DelayQueueClient client,
            Duration deliveryLease,
            TopicsInUse inUse,
            CallerShares waiting,
            Function<String, Terms> terms,
            AnswerThreads answers) {
        this(client, deliveryLease, inUse, waiting, terms, answers, IDLE_TIMEOUT);
    }

    SqsConsumers(
            DelayQueueClient client,
            Duration deliveryLease,
            TopicsInUse inUse,
            CallerShares waiting,
            Function<String, Terms> terms,
            AnswerThreads answers,
            Duration idleTimeout) {
        this.answers = answers;
        this.idleTimeout = idleTimeout;
        this.client = client;
        this.deliveryLease = deliveryLease;
        this.inUse = inUse;
        this.waiting = waiting;
        this.terms = terms;
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
        return groups.values().stream()
                .mapToInt(group -> number.applyAsInt(group.consumers))
                .sum();
    }

    /** Bound and threads of the answers with messages. */
    public AnswerThreads answers() {
        return answers;
    }

    /** Lease of messages until the client has them, where the visibility timeout is no lease for that. */
    public Duration deliveryLease() {
        return deliveryLease;
    }

    /** The consumers with the present options of a topic. */
    public PullConsumers of(String topic) {
        Terms of = terms.apply(topic);
        Terms claimed = new Terms(of.maxReceives(), claimLease(of.visibilityTimeout()));
        Group group = groups.get(claimed);
        if (group == null) {
            closeUnused();
            group = groups.computeIfAbsent(claimed, this::create);
        }
        group.lastUsed = System.nanoTime();
        return group.consumers;
    }

    /** The visibility timeout, so that a lease need not be extended to it. A shorter one could end before the answer begins. */
    private Duration claimLease(Duration visibility) {
        return visibility.compareTo(deliveryLease) < 0 || visibility.compareTo(LONGEST_CLAIM) > 0
                ? deliveryLease
                : visibility;
    }

    /** Those of terms that no queue has any more. */
    private void closeUnused() {
        long now = System.nanoTime();
        groups.values().removeIf(group -> {
            boolean unused = now - group.lastUsed > idleTimeout.toNanos();
            if (unused) {
                group.consumers.closeLater();
            }
            return unused;
        });
    }

    /** Terms that queues have, or had a while ago. */
    int groups() {
        return groups.size();
    }

    private Group create(Terms claimed) {
        PullOptions options = PullOptions.builder()
                .lease(claimed.visibilityTimeout())
                .maxAttempts(claimed.maxReceives())
                .build();
        PullConsumers consumers = new PullConsumers(client, options, idleTimeout, answers, closing);
        if (running) {
            consumers.start();
        }
        return new Group(consumers);
    }

    @Override
    public void start() {
        running = true;
        groups.values().forEach(group -> group.consumers.start());
    }

    /** Ends waiting receives. Messages can still be settled, until the context is closed. */
    @Override
    public void stop() {
        running = false;
        groups.values().forEach(group -> group.consumers.stop());
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
        groups.values().forEach(group -> group.consumers.destroy());
    }

    /**
     * Terms on which the messages of a queue are received.
     *
     * @param maxReceives receives of a message before it is dead-lettered
     * @param visibilityTimeout lease of a received message, unless the client asks for another
     */
    public record Terms(int maxReceives, Duration visibilityTimeout) {}

    /** The consumers of queues with the same terms. */
    private static final class Group {

        private final PullConsumers consumers;
        private volatile long lastUsed = System.nanoTime();

        private Group(PullConsumers consumers) {
            this.consumers = consumers;
        }
    }
}
