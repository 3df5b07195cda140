package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.LayoutChangedException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says what went wrong in the caller's terms: which cause, what to do. The only place that reads Redis' error texts. */
final class RedisErrors {

    private static final Set<String> AWAY = Set.of(
            "LOADING",
            "BUSY",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "READONLY",
            "NOREPLICAS",
            "TRYAGAIN",
            "MOVED",
            "ASK",
            "MISCONF",
            "UNBLOCKED",
            "UNKILLABLE");

    private static final Set<String> ELSEWHERE = Set.of("TRYAGAIN", "CLUSTERDOWN", "MOVED", "ASK");

    private static final Set<String> DENIED = Set.of("NOAUTH", "WRONGPASS", "NOPERM");

    /** Before 7.0 a script's error hides the command's: "ERR Error running script (…): @user_script:9: -OOM command …". */
    private static final Pattern NESTED_CODE = Pattern.compile("(?:^|[:\\s])-([A-Z]{3,}) ");

    /** What 6.2 and 7.0, and later servers, say of a script whose user lacks a right. */
    private static final Pattern DENIED_IN_SCRIPT = Pattern.compile(
            "user executing the script can't|ACL failure in script|has no permissions", Pattern.CASE_INSENSITIVE);

    /** What the scripts say to a caller that does not know how many partitions there are. */
    private static final Pattern LAYOUT = Pattern.compile("LAYOUT (\\d{1,9})");

    /** What Redis says before it repeats the arguments of a command that it does not know. */
    private static final String ARGUMENTS = ", with args beginning with";

    private static final int LONGEST_DETAIL = 300;

    private RedisErrors() {}

    /** The error code in front of a reply, or of the reply nested in it; empty if the error is not Redis' own. */
    static String code(Throwable error) {
        RedisCommandExecutionException reply = reply(error);
        String text = reply == null ? null : reply.getMessage();
        if (text == null) {
            return "";
        }
        if (text.startsWith("ERR WAIT cannot be used with replica")) {
            return "READONLY";
        }
        if (text.startsWith("ERR ")) {
            Matcher nested = NESTED_CODE.matcher(text);
            if (nested.find()) {
                return nested.group(1);
            }
            return DENIED_IN_SCRIPT.matcher(text).find() ? "NOPERM" : "ERR";
        }
        int blank = text.indexOf(' ');
        return blank < 0 ? text : text.substring(0, blank);
    }

    /** Whether a server of a Cluster did not do it because keys or servers change places; soon one of them will. */
    static boolean isElsewhere(Throwable error) {
        return ELSEWHERE.contains(code(error));
    }

    /** Whether Redis does not know who this is, rather than deny a right. */
    static boolean isLogin(Throwable error) {
        String code = code(error);
        return code.equals("NOAUTH") || code.equals("WRONGPASS");
    }

    /**
     * The exception for a caller.
     *
     * @param doing what was tried, such as {@code claim}
     */
    static DelayQueueException translate(Throwable error, String doing, @Nullable String topic) {
        Throwable cause = withoutArguments(unwrap(error));
        if (cause instanceof DelayQueueException known) {
            return known;
        }
        String code = code(cause);
        String what = what(doing, topic);
        if (code.equals("LAYOUT")) {
            return layoutChanged(cause, what, topic);
        }
        if (code.equals("OOM")) {
            return new RedisFullException(
                    what
                            + " was refused: Redis is at its memory limit (maxmemory) and keeps what it has. Raise the limit, or"
                            + " wait until messages were consumed",
                    topic,
                    null,
                    cause);
        }
        if (DENIED.contains(code)) {
            return new RedisAccessDeniedException(
                    what + " was refused: " + detail(cause)
                            + ". Check user name and password, and that the user may run the"
                            + " commands, keys and channels that DelayQueue.inspectServers() lists",
                    topic,
                    null,
                    cause);
        }
        if (AWAY.contains(code)) {
            return new RedisUnavailableException(
                    what + " was not done: Redis can't serve it now (" + detail(cause) + "). Repeat it later",
                    topic,
                    null,
                    cause);
        }
        if (code.isEmpty() && isConnectionTrouble(cause)) {
            return new RedisUnavailableException(
                    what + " failed: no connection to Redis (" + detail(cause)
                            + "). It may have been done; repeating the same call is safe",
                    topic,
                    null,
                    cause);
        }
        return unreadable(cause, doing, topic);
    }

    private static DelayQueueException layoutChanged(Throwable error, String what, @Nullable String topic) {
        Matcher count = LAYOUT.matcher(String.valueOf(error.getMessage()));
        int partitions = count.find() ? Integer.parseInt(count.group(1)) : 1;
        return new LayoutChangedException(what, String.valueOf(topic), partitions);
    }

    /** For an answer that none of the scripts gives. */
    static DelayQueueException unreadable(Throwable cause, String doing, @Nullable String topic) {
        if (cause instanceof DelayQueueException known) {
            return known;
        }
        return new UnexpectedReplyException(
                what(doing, topic) + " got an answer that makes no sense: " + detail(cause)
                        + ". Is this Redis 6.2 or later, and nobody else using these keys?",
                topic,
                null,
                cause);
    }

    /** For a call that Redis did not answer. */
    static DelayQueueException timeout(
            String doing, @Nullable String topic, Duration timeout, @Nullable Throwable lastFailure) {
        if (lastFailure != null && DENIED.contains(code(unwrap(lastFailure)))) {
            return translate(lastFailure, doing, topic);
        }
        return new RedisUnavailableException(
                what(doing, topic) + " was not answered within " + timeout + ": Redis is away, overloaded or cut off"
                        + (lastFailure == null ? "" : " (" + detail(unwrap(lastFailure)) + ")")
                        + ". It may have been done; repeating the same call is safe",
                topic,
                null,
                lastFailure == null ? null : withoutArguments(lastFailure));
    }

    static DelayQueueException closed() {
        return new DelayQueueClosedException("this delay queue is closed", null, null, null);
    }

    private static Throwable unwrap(Throwable error) {
        Throwable inner = error;
        while ((inner instanceof CompletionException || inner instanceof ExecutionException)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    /** The error itself, unless it tells the arguments of a refused command: AUTH's may be among them. */
    private static Throwable withoutArguments(Throwable error) {
        RedisCommandExecutionException reply = reply(error);
        String text = reply == null ? null : reply.getMessage();
        return text != null && text.contains(ARGUMENTS) ? new RedisCommandExecutionException(detail(error)) : error;
    }

    /** What Redis answered; for a connection that could not be opened that is a cause of it. */
    private static @Nullable RedisCommandExecutionException reply(Throwable error) {
        Throwable inner = error;
        for (int depth = 0; inner != null && depth < 10; depth++, inner = inner.getCause()) {
            if (inner instanceof RedisCommandExecutionException reply) {
                return reply;
            }
        }
        return null;
    }

    private static boolean isConnectionTrouble(Throwable error) {
        return error instanceof RedisException
                || error instanceof IOException
                || error instanceof TimeoutException
                || error instanceof CancellationException
                || error instanceof IllegalStateException;
    }

    private static String what(String doing, @Nullable String topic) {
        return topic == null ? doing : doing + " of topic '" + topic + "'";
    }

    /** The innermost text; cut before the arguments of a refused command, since AUTH's may be among them. */
    private static String detail(Throwable error) {
        Throwable reply = reply(error);
        Throwable inner = reply != null ? reply : error;
        while (reply == null && inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        String text = inner.getMessage();
        if (text == null) {
            return inner.getClass().getSimpleName();
        }
        int arguments = text.indexOf(ARGUMENTS);
        String safe = (arguments < 0 ? text : text.substring(0, arguments)).replaceAll("\\.$", "");
        return safe.length() <= LONGEST_DETAIL ? safe : safe.substring(0, LONGEST_DETAIL) + "…";
    }
}
