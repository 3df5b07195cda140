package io.delayqueue.internal.redis;

import io.delayqueue.internal.FutureErrors;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import java.net.ConnectException;
import java.net.SocketException;
import java.util.regex.Pattern;

/** Puts errors into one line without secrets. */
final class ErrorText {

    /** Redis repeats the arguments of a command that it does not know behind these words: AUTH's may be among them. */
    private static final String ARGUMENTS = ", with args beginning with";

    /** User and password in an address; Lettuce puts as many stars as the password is long. */
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^@/\\s]*@");

    /** Enough for any error of Redis; a log line stays one line. */
    private static final int MAX_LENGTH = 300;

    private ErrorText() {}

    /** Redis' reply, or else the innermost message. */
    static String of(Throwable error) {
        Throwable unwrapped = FutureErrors.unwrap(error);
        Throwable reply = ErrorReply.find(unwrapped);
        Throwable source = reply != null ? reply : innermost(unwrapped);
        String text = source.getMessage();
        if (text == null) {
            return source.getClass().getSimpleName();
        }
        int arguments = text.indexOf(ARGUMENTS);
        String safe = USER_INFO
                .matcher(arguments < 0 ? text : text.substring(0, arguments))
                .replaceAll("")
                .replaceAll("\\s+", " ")
                .strip()
                .replaceAll("\\.$", "");
        return safe.length() <= MAX_LENGTH ? safe : safe.substring(0, MAX_LENGTH) + "…";
    }

    /** As {@link #of}, for a connection that could not be opened: neither side says that the other speaks TLS, or does not. */
    static String withTlsHint(Throwable error) {
        Throwable unwrapped = FutureErrors.unwrap(error);
        return of(unwrapped) + tlsHint(unwrapped);
    }

    /** The error as the cause of an exception: itself, unless a stack trace of it would show arguments of a command. */
    static Throwable withoutArguments(Throwable error) {
        boolean showsArguments = ErrorReply.withCauses(error)
                .map(Throwable::getMessage)
                .anyMatch(text -> text != null && text.contains(ARGUMENTS));
        return showsArguments ? new RedisCommandExecutionException(of(error)) : error;
    }

    private static Throwable innermost(Throwable error) {
        Throwable inner = error;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        return inner;
    }

    /** A server that wants TLS hangs up; a server without TLS waits for a command that it understands. */
    private static String tlsHint(Throwable error) {
        if (ErrorReply.withCauses(error).noneMatch(RedisConnectionException.class::isInstance)) {
            return "";
        }
        if (ErrorReply.withCauses(error)
                .anyMatch(it -> it instanceof SocketException && !(it instanceof ConnectException))) {
            return "; does the server want TLS at that port?";
        }
        return ErrorReply.withCauses(error).anyMatch(RedisCommandTimeoutException.class::isInstance)
                ? "; if the client uses TLS, does the server at that port?"
                : "";
    }
}
