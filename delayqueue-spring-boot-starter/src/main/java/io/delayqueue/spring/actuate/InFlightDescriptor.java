package io.delayqueue.spring.actuate;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages in flight.
 *
 * @param topic their topic
 * @param time Redis' clock when they were read
 * @param holders the instances known to hold messages, those that hold the most first
 * @param messages those whose leases end first
 */
public record InFlightDescriptor(String topic, Instant time, List<Holder> holders, List<Message> messages)
        implements DelayQueueDescriptor {

    /**
     * An instance that holds messages.
     *
     * @param instance its host and process id, {@code <host>:<pid>}
     * @param messages number of messages that it holds
     * @param since when it claimed the one that it has held for the longest time; null if unknown
     */
    public record Holder(
            String instance, long messages, @Nullable Instant since) {}

    /**
     * A message in flight. Its content is not read.
     *
     * @param id its id
     * @param attempt number of the attempt that is under way
     * @param holder instance that claimed it, or extended its lease last; null if unknown
     * @param since when that instance claimed it; null if unknown
     * @param leaseUntil when its lease ends unless it is extended
     * @param bytes size in Redis of payload and headers
     */
    public record Message(
            String id,
            int attempt,
            @Nullable String holder,
            @Nullable Instant since,
            Instant leaseUntil,
            int bytes) {}
}
