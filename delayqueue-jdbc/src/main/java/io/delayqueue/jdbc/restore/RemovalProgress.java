package io.delayqueue.jdbc.restore;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How far the removal of a topic's revived messages is, by whichever instance. A removal that failed or died is begun again, so a count may
 * fall.
 *
 * @param compared messages of Redis that were looked at; negative before the removal begins
 * @param removed messages that were removed
 */
record RemovalProgress(long compared, long removed) {

    static final RemovalProgress NONE = new RemovalProgress(-1, 0);

    private static final Pattern TOLD = Pattern.compile(": (\\d+) compared, .*, (\\d+) removed, ");

    /** The text for a lease's row, which people read, too. */
    static String text(RestoreProgress progress, long removed) {
        return "topic " + progress.topic() + ": " + progress.scanned() + " compared, " + progress.restored()
                + " restored, " + removed + " removed, " + progress.perSecond() + "/s, " + progress.remaining()
                + (progress.remaining() == RestoreProgress.MOST_COUNTED ? " or more" : "") + " remaining";
    }

    /** The progress that such a text tells. */
    static RemovalProgress of(@Nullable String text) {
        Matcher told = TOLD.matcher(text == null ? "" : text);
        return told.find() ? new RemovalProgress(Long.parseLong(told.group(1)), Long.parseLong(told.group(2))) : NONE;
    }

    /**
     * Whether the removal got on since this. One that always fails at the same message gets no farther than before, and removes nothing any
     * more. One that begins after another one's death compares the rest only, and removes it.
     */
    boolean isBefore(RemovalProgress told) {
        return told.compared > compared || (told.removed > 0 && told.removed != removed);
    }

    /** The farthest of both. */
    RemovalProgress with(RemovalProgress told) {
        return new RemovalProgress(Math.max(compared, told.compared), told.removed > 0 ? told.removed : removed);
    }
}
