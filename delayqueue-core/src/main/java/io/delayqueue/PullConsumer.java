package io.delayqueue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Receives messages of one topic on request, instead of by a {@link MessageHandler}: for programs that hand messages on, such as to
 * clients in other processes. Safe for use by several threads. It needs no start, opens nothing before its first call, and asks Redis for
 * messages only while a call waits for them. Pull consumers and subscriptions of a topic, in all processes, share its messages.
 *
 * <p><b>Leases.</b> A received message is leased for {@link PullOptions#lease()}. Only {@link #extend} renews the lease: the library
 * can't know whether the receiver still works on the message. Once the lease is over, another consumer gets the message. That counts
 * as an attempt. But a message with a single attempt is delivered again up to 10 times while its lease was not extended: its
 * handling may not have begun.
 *
 * <p><b>Receipts.</b> A message is settled by its {@link Receipt}, by this pull consumer or by another one of the topic, in any process.
 * A call by a receipt that is no longer good changes nothing, and says so. Repeat a call whose outcome is unknown: it is applied once.
 *
 * <p><b>Answers.</b> A blocking call that settles fails with a {@link RedisUnavailableException} if Redis does not answer within
 * {@link DelayQueueOptions#commandTimeout()}, and so does the future of its {@code Async} form. The call is still repeated then, and may be
 * applied later. While 10,000 calls wait for Redis, further ones fail with a {@link ClientOverloadedException}. Futures complete as those
 * of {@link DelayQueueClient}. The {@link DelayQueueObserver} is told of settled messages without their payload and headers. A receipt
 * of another topic is refused with an {@link IllegalArgumentException}, and a call after {@link #close()} with a
 * {@link DelayQueueClosedException}.
 */
public interface PullConsumer extends AutoCloseable {

    /** The largest number of messages that one call receives. */
    int MAX_MESSAGES = 512;

    /** The longest time that a call may wait for messages: a day. */
    Duration MAX_WAIT = Duration.ofDays(1);

    /** The topic consumed. */
    String topic();

    /**
     * Waits until at least one message is due, and returns up to a number of them in the order in which to handle them. Returns none
     * if none came within the wait, or if this pull consumer is closed meanwhile. Calls that wait get messages in the order in
     * which they came. A message that may have killed its last consumers comes alone.
     *
     * <p>An interrupt ends the wait: the answer is empty, and the thread stays interrupted.
     *
     * @param max largest number of messages, 1 to {@link #MAX_MESSAGES}
     * @param wait zero to {@link #MAX_WAIT}; zero returns what is due now. At the end of the wait, messages of a server that takes
     *     longer than 0.1 s to answer may be left to the next call
     * @throws ClientOverloadedException if {@link PullOptions#maxWaiting()} calls wait already
     * @throws RedisUnavailableException if no message came within the wait, and Redis did not answer
     */
    List<PulledMessage> receive(int max, Duration wait);

    /**
     * {@link #receive} without a thread that waits. A future that is cancelled or completed otherwise receives nothing: messages that
     * were on their way are passed to another call, or become ready again with no attempt counted.
     */
    CompletableFuture<List<PulledMessage>> receiveAsync(int max, Duration wait);

    /**
     * Acks a message: it was handled, and is deleted.
     *
     * @return false if the receipt is no longer good
     */
    boolean ack(Receipt receipt);

    /** {@link #ack} without waiting. */
    CompletableFuture<Boolean> ackAsync(Receipt receipt);

    /**
     * {@link #ackAsync} of several messages, at less cost than as many calls. Each has an outcome of its own. The futures complete once
     * all messages have their outcome, or after {@link DelayQueueOptions#commandTimeout()}, one after the other on one thread: a
     * continuation that blocks holds up the futures behind it.
     *
     * @return a future for each receipt, in their order
     */
    List<CompletableFuture<Boolean>> ackAllAsync(List<Receipt> receipts);

    /**
     * Ends a failed attempt: another one follows, or the message is dead-lettered if it was the last.
     *
     * @param delay until the next attempt, a negative one counts as zero; null for {@link PullOptions#backoff()}
     * @param reason kept with a dead letter, up to 2,000 characters of it
     */
    RetryOutcome retry(Receipt receipt, @Nullable Duration delay, String reason);

    /** {@link #retry} without waiting. */
    CompletableFuture<RetryOutcome> retryAsync(Receipt receipt, @Nullable Duration delay, String reason);

    /**
     * Dead-letters a message, even if attempts are left.
     *
     * @param reason kept with the dead letter, up to 2,000 characters of it
     * @return false if the receipt is no longer good
     */
    boolean deadLetter(Receipt receipt, String reason);

    /** {@link #deadLetter} without waiting. */
    CompletableFuture<Boolean> deadLetterAsync(Receipt receipt, String reason);

    /**
     * Makes a message ready again for any consumer, with no attempt counted.
     *
     * @return false if the receipt is no longer good; perhaps also if a call was repeated that had been applied
     */
    boolean release(Receipt receipt);

    /** {@link #release} without waiting. */
    CompletableFuture<Boolean> releaseAsync(Receipt receipt);

    /**
     * Extends a lease to at least this long from now; never makes it shorter. The receipt stays good.
     *
     * @param lease 1 ms to a day
     * @return false if the receipt is no longer good
     */
    boolean extend(Receipt receipt, Duration lease);

    /** {@link #extend} without waiting. */
    CompletableFuture<Boolean> extendAsync(Receipt receipt, Duration lease);

    /**
     * {@link #extendAsync} of several messages, at less cost than as many calls. The futures complete as those of {@link #ackAllAsync}.
     *
     * @return a future for each receipt, in their order
     */
    List<CompletableFuture<Boolean>> extendAllAsync(List<Receipt> receipts, Duration lease);

    /**
     * Sets the end of a lease to this long from now, even if that makes the lease shorter. The receipt stays good. Waiting consumers
     * claim the message at the earlier end.
     *
     * @param lease 1 ms to a day
     * @return false if the receipt is no longer good
     */
    boolean changeLease(Receipt receipt, Duration lease);

    /** {@link #changeLease} without waiting. */
    CompletableFuture<Boolean> changeLeaseAsync(Receipt receipt, Duration lease);

    /**
     * Whether messages are claimed and can be settled. False if claims have been failing for more than two seconds, or the guard interval
     * if that is shorter. Also false if it can't listen to wake-ups, or claims no more since Redis does not settle messages. True before
     * the first call, and after {@link #close()}.
     */
    boolean isHealthy();

    /**
     * Ends this pull consumer. Calls that wait for messages return none, messages on their way to them become ready again, and settlements
     * under way are waited for, 3 s at most. Received messages keep their leases, and can be settled by another pull consumer. Idempotent.
     */
    @Override
    void close();
}
