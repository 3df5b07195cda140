package io.delayqueue.gateway.callback;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which headers of a message become headers of its request. */
final class CallbackHeaders {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    /** Visible ASCII, with blanks and tabs between. */
    private static final Pattern VALUE = Pattern.compile("([\\x21-\\x7e]([\\x20-\\x7e\\t]*[\\x21-\\x7e])?)?");

    /** They belong to the connection or to the frame of the message, or name the target. */
    private static final Set<String> RESERVED = Set.of(
            "connection",
            "content-length",
            "expect",
            "host",
            "http2-settings",
            "keep-alive",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    /** The specification's, the gateway's own, and those of proxies. */
    private static final Set<String> RESERVED_PREFIXES = Set.of("webhook-", "delayqueue-", "proxy-", ":");

    /** Headers that the endpoint for SQS clients adds for its own receives, with the sender's access key id among them. */
    private static final Set<String> OF_SQS =
            Set.of("sqs-attributes", "sqs-group", "sqs-sender", "sqs-sent", "sqs-trace");

    private CallbackHeaders() {}

    /**
     * Why a message with this header can't be scheduled to a callback topic, as its request could not carry the header; null if it can.
     * The gateway's own headers are not looked at here.
     */
    static @Nullable String problem(String name, String value) {
        if (!NAME.matcher(name).matches()) {
            return "the name is no name of an HTTP header";
        }
        if (isReserved(name)) {
            return "the header is set by the gateway";
        }
        if (OF_SQS.contains(name)) {
            return null;
        }
        if (!VALUE.matcher(value).matches()) {
            return "the value has characters that an HTTP header can't have";
        }
        return null;
    }

    /** The headers that a request carries: the message's own, without those that it can't or must not have. Names are lower-case. */
    static Map<String, String> ofRequest(Map<String, String> headers) {
        Map<String, String> passed = new TreeMap<>();
        headers.forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (problem(name, value) == null && !OF_SQS.contains(lower)) {
                passed.put(lower, value);
            }
        });
        return passed;
    }

    private static boolean isReserved(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return RESERVED.contains(lower) || RESERVED_PREFIXES.stream().anyMatch(lower::startsWith);
    }
}
