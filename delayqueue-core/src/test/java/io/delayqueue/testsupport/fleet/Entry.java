package io.delayqueue.testsupport.fleet;

import org.jspecify.annotations.Nullable;

/**
 * A line of a worker's log.
 *
 * @param worker name of the worker
 * @param number the delay in µs of an intended message; the wall clock of a worker that is ready, in ms; else the attempt
 * @param due due time of the message in µs since the epoch where a handler was entered; else 0
 * @param notBefore lower bound of Redis' clock at that moment, µs since the epoch
 * @param notAfter upper bound of it
 */
public record Entry(
        String worker, What what, String topic, String id, long number, long due, long notBefore, long notAfter) {

    /** The event. */
    public enum What {
        /** The worker is started. */
        READY,
        /** A message is about to be scheduled for the first time. */
        INTENDED,
        /** The call failed, and is about to be repeated. */
        REPEATED,
        /** The call returned. */
        ACKNOWLEDGED,
        /** A handler was entered. */
        BEGUN,
        /** A handler is about to return. */
        ENDED,
        /** Redis confirmed the ack. */
        ACKED,
        /** The worker lost the lease, and knows it. */
        LEASE_LOST,
        /** The worker retried a message whose lease had expired. */
        LEASE_EXPIRED,
        /** The producer has scheduled its last message. */
        PRODUCED,
        /** The worker was told to write this line, after all that happened before. */
        MARKED,
        /** The worker's process was killed. */
        KILLED,
        /** The worker, or the server's answers to it, stood still from the lower to the upper bound of the time. */
        STALLED
    }

    String line() {
        return "@ " + what + " " + topic + " " + id + " " + number + " " + due + " " + notBefore + " " + notAfter;
    }

    /** Parses a line of a worker's output; null if it is no entry. */
    static @Nullable Entry of(String worker, String line) {
        String[] words = line.split(" ");
        return words.length == 8 && words[0].equals("@")
                ? new Entry(
                        worker,
                        What.valueOf(words[1]),
                        words[2],
                        words[3],
                        Long.parseLong(words[4]),
                        Long.parseLong(words[5]),
                        Long.parseLong(words[6]),
                        Long.parseLong(words[7]))
                : null;
    }
}
