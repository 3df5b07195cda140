package io.delayqueue;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a topic in flight, as one call found them: those that consumers have claimed and not settled yet. Each partition
 * was looked at in one instant.
 *
 * <p>An instance is a process, {@code <host>:<pid>}. Redis knows it as long as a consumer's last claims or renewals include the
 * message: of each consumer and partition, the last 16 claims and the last 64 different ends of renewed leases. For other messages, and
 * for those that a client of an earlier version claimed, it is unknown. An instance that died holds its messages until their leases end.
 *
 * @param time Redis' clock
 * @param holders the instances known to hold messages, those that hold the most first; their messages may add up to fewer than
 *     {@link TopicStats#inFlight()}
 * @param messages those whose leases end first, at most as many as were asked for
 */
public record InFlightMessages(Instant time, List<Holder> holders, List<Message> messages) {

    /** Maximum number of messages that one call lists: as many as one call of a script returns. */
    public static final int MAX_LISTED = 512;

    public InFlightMessages {
        Objects.requireNonNull(time, "time");
        holders = List.copyOf(holders);
        messages = List.copyOf(messages);
    }

    /**
     * An instance that holds messages.
     *
     * @param instance its host and process id, {@code <host>:<pid>}
     * @param messages number of messages that it holds
     * @param since when it claimed the message that it has held for the longest time, to some milliseconds; messages with an unknown
     *     time do not count; null if the time of all is unknown
     */
    public record Holder(
            String instance, long messages, @Nullable Instant since) {
        public Holder {
            Objects.requireNonNull(instance, "instance");
        }
    }

    /**
     * A message in flight, without its payload and headers.
     *
     * @param id its id
     * @param attempt number of the attempt that is under way, from 1
     * @param holder instance that claimed it, or extended its lease last; null if unknown
     * @param since when that instance claimed it, to some milliseconds; null if unknown
     * @param leaseUntil when its lease ends unless it is extended, by Redis' clock
     * @param bytes size in Redis of payload and headers, with a header line of some dozens of bytes; 0 if another program deleted
     *     them
     */
    public record Message(
            String id,
            int attempt,
            @Nullable String holder,
            @Nullable Instant since,
            Instant leaseUntil,
            int bytes) {
        public Message {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(leaseUntil, "leaseUntil");
        }
    }
}
