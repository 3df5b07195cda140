package io.delayqueue.internal.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Finds servers that fell silent. A server is silent after two commands in a row without an answer, the first of them sent more
 * than a second ago: a single command that took too long proves nothing.
 */
final class SilenceDetector {

    /** One command alone may be slow by itself: a script of another program may block the server. */
    private static final int MIN_COMMANDS = 2;
    /** Commands of the same moment share its pause, such as a fork of the server. */
    private static final long MIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<Object, Silence> silences = new ConcurrentHashMap<>();

    /** Commands without an answer since the server answered last, and when the first of them was sent. */
    private record Silence(int commands, long sinceNanos) {

        Silence plus(Silence other) {
            return new Silence(commands + other.commands, sinceNanos);
        }
    }

    /** Notes an answer of the server. */
    void answered(Object server) {
        if (!silences.isEmpty()) {
            silences.remove(server);
        }
    }

    /** Notes a command without an answer; true if the server is to be taken for silent, once for each silence. */
    boolean unanswered(Object server, long sentNanos) {
        Silence silence = silences.merge(server, new Silence(1, sentNanos), Silence::plus);
        if (silence.commands < MIN_COMMANDS || System.nanoTime() - silence.sinceNanos <= MIN_NANOS) {
            return false;
        }
        silences.clear();
        return true;
    }
}
