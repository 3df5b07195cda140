package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.store.PartitionsChangedException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Translates the errors of Redis and Lettuce into exceptions that tell the caller the cause and what to do. */
final class RedisErrors {

    private static final Set<String> UNAVAILABLE = Set.of(
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

    private static final Set<String> LOGIN_REFUSED = Set.of("NOAUTH", "WRONGPASS");

    private static final Set<String> REPLICA = Set.of("READONLY", "MASTERDOWN");

    /** The scripts' own error for a caller whose partition count is outdated, with the present count. */
    private static final Pattern PARTITIONS = Pattern.compile("PARTITIONS (\\d{1,9})");

    /** The remedy for a {@code schedule} call without an answer: a new message with a new id would be a second one. */
    static final String REPEAT_SCHEDULE = "repeat it only with the same OutgoingMessage or an id of your own";

    private RedisErrors() {}

    /** Whether a Cluster's server refused because slots or servers are changing places: a retry soon finds the right server. */
    static boolean isElsewhere(Throwable error) {
        return ELSEWHERE.contains(ErrorReply.code(error));
    }

    /** Whether Redis refused the credentials, rather than denied a permission. */
    static boolean isLogin(Throwable error) {
        return LOGIN_REFUSED.contains(ErrorReply.code(error));
    }

    /** Whether Redis denied the user a command, key or channel. */
    static boolean isPermission(Throwable error) {
        return ErrorReply.code(error).equals("NOPERM");
    }

    /** Whether the server that answered is a replica. */
    static boolean isReplica(Throwable error) {
        return REPLICA.contains(ErrorReply.code(error));
    }

    /**
     * The exception for the caller.
     *
     * @param operation the operation that failed, such as {@code claim}
     */
    static DelayQueueException translate(Throwable error, String operation, @Nullable String topic) {
        Throwable cause = ErrorText.withoutArguments(FutureErrors.unwrap(error));
        if (cause instanceof DelayQueueException translated) {
            return translated;
        }
        String code = ErrorReply.code(cause);
        String subject = subject(operation, topic);
        if (code.equals("PARTITIONS")) {
            return partitionsChanged(cause, subject, topic);
        }
        if (code.equals("OOM")) {
            return new RedisFullException(
                    subject + " was refused: Redis is at its memory limit (maxmemory). Raise the limit, or wait until"
                            + " messages are consumed",
                    topic,
                    null,
                    cause);
        }
        if (isLogin(cause) || isPermission(cause)) {
            return new RedisAccessDeniedException(
                    subject + " was refused: " + ErrorText.of(cause)
                            + ". Check user name and password, and that the user may use the commands, keys and channels"
                            + " that DelayQueueClient.inspectServers() lists",
                    topic,
                    null,
                    cause);
        }
        if (UNAVAILABLE.contains(code)) {
            return new RedisUnavailableException(
                    subject + " was not done: Redis can't serve it now (" + ErrorText.of(cause) + "). Retry later",
                    topic,
                    null,
                    cause);
        }
        if (code.isEmpty() && isConnectionError(cause)) {
            return new RedisUnavailableException(
                    subject + " failed: no connection to Redis (" + ErrorText.withTlsHint(cause) + ")."
                            + mayBeDone(operation),
                    topic,
                    null,
                    cause);
        }
        return unreadable(cause, operation, topic);
    }

    /** For an answer that does not fit the command. */
    static DelayQueueException unreadable(Throwable cause, String operation, @Nullable String topic) {
        if (cause instanceof DelayQueueException translated) {
            return translated;
        }
        return new UnexpectedReplyException(
                subject(operation, topic) + " got an unexpected answer: " + ErrorText.of(cause)
                        + ". Is this Redis 6.2 or later, and does no other program use these keys?",
                topic,
                null,
                cause);
    }

    /** For a command that Redis did not answer in time. */
    static DelayQueueException unanswered(String operation, @Nullable String topic, Duration timeout) {
        return new RedisUnavailableException(
                subject(operation, topic) + " was not answered within " + timeout
                        + ": Redis is down, overloaded or unreachable." + mayBeDone(operation),
                topic,
                null,
                null);
    }

    /**
     * For a command that waited for a connection until it timed out.
     *
     * @param lastFailure of an attempt to connect; null if none has ended so far: a server without TLS says nothing to a client
     *     with TLS
     */
    static DelayQueueException unconnected(
            String operation, @Nullable String topic, Duration timeout, @Nullable Throwable lastFailure) {
        if (lastFailure != null && (isLogin(lastFailure) || isPermission(lastFailure))) {
            return translate(lastFailure, operation, topic);
        }
        return new RedisUnavailableException(
                subject(operation, topic) + " was not answered within " + timeout + ": no connection to Redis ("
                        + (lastFailure == null
                                ? "it is down, overloaded or unreachable, or only one of server and client uses TLS"
                                : ErrorText.withTlsHint(lastFailure))
                        + ")." + mayBeDone(operation),
                topic,
                null,
                lastFailure == null ? null : ErrorText.withoutArguments(lastFailure));
    }

    /** For a command that is not to be sent again over the next connection. */
    static DelayQueueException broken(String operation, @Nullable String topic) {
        return new RedisUnavailableException(
                subject(operation, topic) + " failed: the connection to Redis broke." + mayBeDone(operation),
                topic,
                null,
                null);
    }

    static DelayQueueException closed() {
        return new DelayQueueClosedException("the delay queue is closed", null, null, null);
    }

    private static DelayQueueException partitionsChanged(Throwable error, String subject, @Nullable String topic) {
        Matcher count = PARTITIONS.matcher(String.valueOf(error.getMessage()));
        int partitions = count.find() ? Integer.parseInt(count.group(1)) : 1;
        return new PartitionsChangedException(subject, String.valueOf(topic), partitions);
    }

    private static boolean isConnectionError(Throwable error) {
        return error instanceof RedisException
                || error instanceof IOException
                || error instanceof TimeoutException
                || error instanceof CancellationException
                || error instanceof IllegalStateException;
    }

    private static String mayBeDone(String operation) {
        return operation.equals(Script.SCHEDULE.label())
                ? " It may have been done: " + REPEAT_SCHEDULE
                : " It may have been done; repeating the same call is safe";
    }

    private static String subject(String operation, @Nullable String topic) {
        return topic == null ? operation : operation + " of topic '" + topic + "'";
    }
}
