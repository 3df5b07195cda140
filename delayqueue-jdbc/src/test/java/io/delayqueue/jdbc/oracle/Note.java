package io.delayqueue.jdbc.oracle;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line that an instance wrote. All times are µs since the epoch by the machine's one clock, which is that of Redis and of the database
 * too, whatever the instance's own calendar says.
 *
 * @param instance the instance
 * @param what what it says
 * @param subject id of a message, or a transaction; {@code -} if there is none
 * @param version payload of the message: no two schedule calls have the same
 * @param number attempt of a delivery; delay in µs of an intended message
 * @param at when it was written
 */
record Note(String instance, What what, String subject, String version, long number, long at) {

    private static final String START = "@";

    /** Subject of a call that failed for another transaction. */
    static final String CONFLICT = "conflict";

    /** Subject of a call that failed as an application has to expect while there are faults. */
    static final String FAILURE = "failure";

    /** Subject of a call that failed with an exception that no fault explains. */
    static final String UNEXPECTED = "unexpected";

    enum What {
        /** It can be told what to do. */
        READY,
        /** Its calendar is ahead of the machine's by this number of µs. */
        CALENDAR,
        /** A transaction has returned, committed or rolled back. */
        RETURNED,
        /** A schedule call without a transaction begins. */
        INTENDED,
        /** It returned. */
        PROMISED,
        /** A transaction or call failed: the kind of failure, and its exception. */
        FAILED,
        /** The library called the listener that begins next with this version and attempt: its inbox comes first. */
        TAKEN,
        /** A listener begins. */
        BEGUN,
        /** It ends. */
        ENDED,
        /** Redis did not answer for this number of µs until now: it, the process or the machine stood still. */
        STALLED,
        /** The process stood still for this number of µs until now. */
        PAUSED,
        /** It makes no more calls; the number is that of its schedule calls inside transactions. */
        IDLE
    }

    static String line(What what, String subject, String version, long number, long at) {
        return String.join(" ", START, what.name(), subject, version, Long.toString(number), Long.toString(at));
    }

    /** Null if another program wrote the line. */
    static @Nullable Note of(String instance, String line) {
        String[] words = line.split(" ");
        if (words.length != 6 || !words[0].equals(START)) {
            return null;
        }
        What what = What.valueOf(words[1].toUpperCase(Locale.ROOT));
        return new Note(instance, what, words[2], words[3], Long.parseLong(words[4]), Long.parseLong(words[5]));
    }

    boolean is(What... wanted) {
        return Arrays.asList(wanted).contains(what);
    }
}
