package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.PartitionsChangedException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

    private static final String MAY_BE_DONE = " It may have been done; repeating the same call is safe";

    /** User and password in an address; Lettuce puts as many stars as the password is long. */
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^@/\\s]*@");

    private static final int LONGEST_DETAIL = 300;
    private static final int DEEPEST = 10;

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
                            + " commands, keys and channels that DelayQueueClient.inspectServers() lists",
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
                    what + " failed: no connection to Redis (" + detail(cause) + hint(cause) + ")." + MAY_BE_DONE,
                    topic,
                    null,
                    cause);
        }
        return unreadable(cause, doing, topic);
    }

    private static DelayQueueException layoutChanged(Throwable error, String what, @Nullable String topic) {
        Matcher count = LAYOUT.matcher(String.valueOf(error.getMessage()));
        int partitions = count.find() ? Integer.parseInt(count.group(1)) : 1;
        return new PartitionsChangedException(what, String.valueOf(topic), partitions);
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
    static DelayQueueException unanswered(String doing, @Nullable String topic, Duration timeout) {
        return new RedisUnavailableException(
                what(doing, topic) + " was not answered within " + timeout + ": Redis is away, overloaded or cut off."
                        + MAY_BE_DONE,
                topic,
                null,
                null);
    }

    /**
     * For a call that waited for a connection all the time.
     *
     * @param lastFailure of an attempt to open one; null if none ended so far, as with a server that says nothing to a client
     *     that speaks TLS to it
     */
    static DelayQueueException unconnected(
            String doing, @Nullable String topic, Duration timeout, @Nullable Throwable lastFailure) {
        if (lastFailure != null && DENIED.contains(code(unwrap(lastFailure)))) {
            return translate(lastFailure, doing, topic);
        }
        return new RedisUnavailableException(
                what(doing, topic) + " was not answered within " + timeout + ": no connection to Redis ("
                        + (lastFailure == null
                                ? "it is away, overloaded or cut off, or does not speak TLS as the client does"
                                : detail(unwrap(lastFailure)) + hint(lastFailure))
                        + ")." + MAY_BE_DONE,
                topic,
                null,
                lastFailure == null ? null : withoutArguments(lastFailure));
    }

    /** An error for the log, in one line and without secrets. */
    static String text(Throwable error) {
        return detail(unwrap(error));
    }

    /** What no side says by itself: the one hangs up, the other waits. */
    private static String hint(Throwable error) {
        if (all(error, 0).noneMatch(RedisConnectionException.class::isInstance)) {
            return "";
        }
        if (all(error, 0).anyMatch(it -> it instanceof SocketException && !(it instanceof ConnectException))) {
            return "; does the server want TLS at that port?";
        }
        return all(error, 0).anyMatch(RedisCommandTimeoutException.class::isInstance)
                ? "; if the client uses TLS, does the server at that port?"
                : "";
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
        boolean tells =
                all(error, 0).map(Throwable::getMessage).anyMatch(text -> text != null && text.contains(ARGUMENTS));
        return tells ? new RedisCommandExecutionException(detail(error)) : error;
    }

    /** What Redis answered; for a connection that could not be opened that is among the causes of it. */
    private static @Nullable RedisCommandExecutionException reply(Throwable error) {
        return (RedisCommandExecutionException) all(error, 0)
                .filter(RedisCommandExecutionException.class::isInstance)
                .findFirst()
                .orElse(null);
    }

    /** The error, its causes, and what each server of a Cluster said, which Lettuce adds as suppressed. */
    private static Stream<Throwable> all(@Nullable Throwable error, int depth) {
        return error == null || depth == DEEPEST
                ? Stream.empty()
                : Stream.concat(
                        Stream.of(error),
                        Stream.concat(Stream.of(error.getSuppressed()), Stream.ofNullable(error.getCause()))
                                .flatMap(inner -> all(inner, depth + 1)));
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
        String known = arguments < 0 ? text : text.substring(0, arguments);
        String safe = USER_INFO
                .matcher(known)
                .replaceAll("")
                .replaceAll("\\s+", " ")
                .strip()
                .replaceAll("\\.$", "");
        return safe.length() <= LONGEST_DETAIL ? safe : safe.substring(0, LONGEST_DETAIL) + "…";
    }
}
