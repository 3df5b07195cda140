package io.delayqueue.jdbc.outbox;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A change of one message that waits in the outbox, as the column {@code operations} keeps it: ASCII, ended by a semicolon. */
public sealed interface Change {

    /** Random text that tells the change from all others of its id. */
    String token();

    /** The change as text. */
    String encode();

    /**
     * Changes of one id in their order.
     *
     * @throws IllegalArgumentException if the text is not of this form
     */
    static List<Change> decode(String operations) {
        List<Change> changes = new ArrayList<>();
        Matcher matcher = Syntax.CHANGE.matcher(operations);
        int end = 0;
        while (matcher.find() && matcher.start() == end) {
            changes.add(Syntax.change(matcher));
            end = matcher.end();
        }
        if (end != operations.length() || changes.isEmpty()) {
            throw new IllegalArgumentException(
                    "no changes of the outbox: '" + operations + "', not understood from character " + end);
        }
        return List.copyOf(changes);
    }

    /**
     * Schedules the message whose row has this generation.
     *
     * @param token the generation
     */
    record Schedule(String token) implements Change {

        @Override
        public String encode() {
            return "S" + token + ";";
        }
    }

    /**
     * Schedules a message again that Redis lost. Unlike {@link Schedule}, it has a token of its own: Redis may remember that the message
     * was scheduled.
     *
     * @param token token of the change
     * @param generation of the message
     */
    record Restore(String token, String generation) implements Change {

        @Override
        public String encode() {
            return "A" + token + ":" + generation + ";";
        }
    }

    /** Cancels the message. */
    record Cancel(String token) implements Change {

        @Override
        public String encode() {
            return "C" + token + ";";
        }
    }

    /**
     * Gives the message a new due time. Its row in the journal keeps the former one until Redis has taken the new one: in the caller's
     * transaction, an update would hold up the audit, and might deadlock with it.
     *
     * @param token token of the change
     * @param dueMicros the due time in µs since the epoch
     * @param instant whether the caller gave an instant, which is meant by Redis' clock; else the due time is by the database's clock
     */
    record Reschedule(String token, long dueMicros, boolean instant) implements Change {

        @Override
        public String encode() {
            return prefix(token, instant) + dueMicros + ";";
        }

        /** The text before the due time. */
        static String prefix(String token, boolean instant) {
            return "R" + token + (instant ? ":i" : ":d");
        }
    }

    /** The text's form. */
    final class Syntax {

        private static final Pattern CHANGE = Pattern.compile(
                "([SC])([0-9a-z]{8});|R([0-9a-z]{8}):([di])([0-9]{1,18});|A([0-9a-z]{8}):([0-9a-z]{8});");

        private Syntax() {}

        private static Change change(Matcher matcher) {
            if (matcher.group(3) != null) {
                return new Reschedule(
                        matcher.group(3),
                        Long.parseLong(matcher.group(5)),
                        matcher.group(4).equals("i"));
            }
            if (matcher.group(6) != null) {
                return new Restore(matcher.group(6), matcher.group(7));
            }
            String token = matcher.group(2);
            return matcher.group(1).equals("S") ? new Schedule(token) : new Cancel(token);
        }
    }
}
