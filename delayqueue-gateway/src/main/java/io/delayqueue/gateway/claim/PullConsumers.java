package io.delayqueue.gateway.claim;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.claim.OpenConsumers.OpenConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * One pull consumer for each topic that clients claim from or settle in. One that is unused for some time is closed, by a thread of its
 * own kind. When the application stops, waiting claims get an empty answer before the web server waits for its requests. Safe for use by
 * many threads.
 */
public final class PullConsumers implements SmartLifecycle, DisposableBean {

    /** Topics in use at the same time: more are refused, so that names made up by a client can't fill the memory. */
    static final int MAX_TOPICS = 2_000;

    /** Topics in use at the same time, with those in which messages are settled only. */
    static final int MAX_TOPICS_WITH_SETTLEMENTS = 2 * MAX_TOPICS;

    /** Topics of one caller among those that it claims from, so that none takes all. */
    public static final int MAX_TOPICS_OF_A_CALLER = 500;

    /** Calls of the gateway itself, and those of callers that are not told apart. */
    static final String NOBODY = "";

    private final PullOptions options;
    private final AnswerThreads answers;
    private final ClosingConsumers closing;
    private final OpenConsumers open;
    private final Set<CompletableFuture<List<PulledMessage>>> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unsettled = new AtomicInteger();
    private volatile boolean running;

    /**
     * Consumers of a client.
     *
     * @param options of each consumer
     * @param idleTimeout time after which an unused one is closed
     * @param answers of the answers with their messages
     */
    public PullConsumers(DelayQueueClient client, PullOptions options, Duration idleTimeout, AnswerThreads answers) {
        this(client, options, idleTimeout, answers, new ClosingConsumers());
    }

    /**
     * Consumers of a client, which share the threads that close them with others.
     *
     * @param options of each consumer
     * @param idleTimeout time after which an unused one is closed
     * @param answers of the answers with their messages
     * @param closing closes the unused ones
     */
    public PullConsumers(
            DelayQueueClient client,
            PullOptions options,
            Duration idleTimeout,
            AnswerThreads answers,
            ClosingConsumers closing) {
        this.options = options;
        this.answers = answers;
        this.closing = closing;
        this.open = new OpenConsumers(topic -> client.pullConsumer(topic, options), idleTimeout, closing);
    }

    /** Bound and threads of the answers with their messages. */
    public AnswerThreads answers() {
        return answers;
    }

    /** Lease of received messages, until it is extended. */
    Duration deliveryLease() {
        return options.lease();
    }

    /** Claims that wait for messages in this instance. */
    public int waiting() {
        return waiting.size();
    }

    /** Settlements, extensions and confirmations of this instance that wait for Redis. */
    public int unsettled() {
        return unsettled.get();
    }

    /** Claims that wait, and settlements under way, of a topic in this instance. */
    public int callsUnderWay(String topic) {
        return open.calls(topic);
    }

    /** {@link PullConsumer#receiveAsync} of a topic; no messages while the application stops. */
    public CompletableFuture<List<PulledMessage>> receive(String topic, int max, Duration wait) {
        return receive(NOBODY, topic, max, wait);
    }

    /**
     * {@link PullConsumer#receiveAsync} of a topic for a caller; no messages while the application stops.
     *
     * @param caller name of the caller
     * @throws TooManyTopicsException if its calls are under way in {@value #MAX_TOPICS_OF_A_CALLER} topics
     */
    public CompletableFuture<List<PulledMessage>> receive(String caller, String topic, int max, Duration wait) {
        if (!running) {
            return CompletableFuture.completedFuture(List.of());
        }
        OpenConsumer used = open.begin(caller, topic, MAX_TOPICS);
        CompletableFuture<List<PulledMessage>> received = call(used, consumer -> consumer.receiveAsync(max, wait));
        waiting.add(received);
        received.whenComplete((messages, failure) -> waiting.remove(received));
        if (!running) {
            // the stop that began meanwhile may not have seen it
            received.complete(List.of());
        }
        return received;
    }

    /**
     * Makes a call that settles a message, extends its lease or confirms its delivery. It counts against no caller, and is made
     * where claims are refused: clients that wait for work keep nobody from ending what is done. The consumer stays open until the
     * future ends.
     *
     * @throws ClientOverloadedException if calls of {@value #MAX_TOPICS_WITH_SETTLEMENTS} topics are under way
     */
    public <T> CompletableFuture<T> settle(String topic, Function<PullConsumer, CompletableFuture<T>> call) {
        CompletableFuture<T> settled = call(open.begin(NOBODY, topic, MAX_TOPICS_WITH_SETTLEMENTS), call);
        unsettled.incrementAndGet();
        settled.whenComplete((result, failure) -> unsettled.decrementAndGet());
        return settled;
    }

    /** As {@link #settle} for several messages: a future for each. The consumer stays open until all of them end. */
    public <T> List<CompletableFuture<T>> settleAll(
            String topic, Function<PullConsumer, List<CompletableFuture<T>>> call) {
        OpenConsumer used = open.begin(NOBODY, topic, MAX_TOPICS_WITH_SETTLEMENTS);
        List<CompletableFuture<T>> futures;
        try {
            futures = call.apply(used.consumer());
        } catch (RuntimeException e) {
            open.end(used);
            throw e;
        }
        unsettled.addAndGet(futures.size());
        CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).whenComplete((all, failure) -> {
            unsettled.addAndGet(-futures.size());
            open.end(used);
        });
        return futures;
    }

    private <T> CompletableFuture<T> call(OpenConsumer used, Function<PullConsumer, CompletableFuture<T>> call) {
        CompletableFuture<T> future;
        try {
            future = call.apply(used.consumer());
        } catch (RuntimeException e) {
            open.end(used);
            throw e;
        }
        // the caller gets the future itself, since it may cancel it
        future.whenComplete((result, failure) -> open.end(used));
        return future;
    }

    @Override
    public void start() {
        running = true;
    }

    /**
     * Ends waiting claims, and waits for nothing: Redis may be silent, and there may be claims of many topics. Messages can still be
     * settled, until the context is closed.
     */
    @Override
    public void stop() {
        running = false;
        waiting.forEach(received -> received.complete(List.of()));
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the web server waits for its requests. */
    @Override
    public int getPhase() {
        return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 256;
    }

    /** Does not wait for Redis, as {@link #closeLater}. The client, which is closed next, closes all that are left at once. */
    @Override
    public void destroy() {
        closeLater();
    }

    /** Closes all consumers, and does not wait for that. */
    public void closeLater() {
        open.removeAll().forEach(closing::close);
    }

    /** Consumers that are being closed, or wait for that. */
    int closing() {
        return closing.count();
    }
}
