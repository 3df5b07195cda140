package io.delayqueue.internal.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds Redis' error reply in an exception, and its code. The only place that knows the wording of each server version. */
final class ErrorReply {

    /** Before 7.0 a script's error hides the command's: "ERR Error running script (…): @user_script:9: -OOM command …". */
    private static final Pattern NESTED_CODE = Pattern.compile("(?:^|[:\\s])-([A-Z]{3,}) ");

    /** A denied command in a script, as 6.2 and 7.0, and later servers, put it. */
    private static final Pattern DENIED_IN_SCRIPT = Pattern.compile(
            "user executing the script can't|ACL failure in script|has no permissions", Pattern.CASE_INSENSITIVE);

    /** Bounds the search of causes: a chain of causes may be a circle. */
    private static final int MAX_DEPTH = 10;

    private ErrorReply() {}

    /** The reply's error code, such as {@code READONLY}, or that of the reply nested in it; empty if Redis did not reply. */
    static String code(Throwable error) {
        RedisCommandExecutionException reply = find(error);
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

    /** Redis' reply; if a connection could not be opened, it is among the causes. */
    static @Nullable RedisCommandExecutionException find(Throwable error) {
        return (RedisCommandExecutionException) withCauses(error)
                .filter(RedisCommandExecutionException.class::isInstance)
                .findFirst()
                .orElse(null);
    }

    /** The error, its causes, and the errors of a Cluster's servers, which Lettuce adds as suppressed. */
    static Stream<Throwable> withCauses(Throwable error) {
        return withCauses(error, 0);
    }

    private static Stream<Throwable> withCauses(@Nullable Throwable error, int depth) {
        return error == null || depth == MAX_DEPTH
                ? Stream.empty()
                : Stream.concat(
                        Stream.of(error),
                        Stream.concat(Stream.of(error.getSuppressed()), Stream.ofNullable(error.getCause()))
                                .flatMap(inner -> withCauses(inner, depth + 1)));
    }
}
