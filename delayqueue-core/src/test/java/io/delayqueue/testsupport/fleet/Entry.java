package io.delayqueue.testsupport.fleet;

import org.jspecify.annotations.Nullable;

/**
 * A line of what a worker wrote down.
 *
 * @param worker who wrote it
 * @param number the delay in µs of what was intended, else the attempt
 * @param due when the message was due, µs since the epoch, where a handler was entered; else 0
 * @param notBefore Redis' clock was not before this at that moment, µs since the epoch
 * @param notAfter nor after this
 */
public record Entry(
        String worker, What what, String topic, String id, long number, long due, long notBefore, long notAfter) {

    /** What happened. */
    public enum What {
        /** The worker is there. */
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
        /** The worker was told that it lost the lease. */
        LEASE_LOST,
        /** The worker took a message back whose lease was over. */
        LEASE_EXPIRED,
        /** All that was to be scheduled is. */
        PRODUCED,
        /** The worker's process was killed. */
        KILLED
    }

    String line() {
        return "@ " + what + " " + topic + " " + id + " " + number + " " + due + " " + notBefore + " " + notAfter;
    }

    /** Reads a line of a worker's; null if it is something else. */
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
