package io.delayqueue.dashboard.http;

import io.delayqueue.MessageState;
import io.delayqueue.dashboard.payload.FieldMask;
import io.delayqueue.dashboard.read.MessageSummary;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message as one caller may see it, without its payload. */
record MessageView(
        MessageState state,
        Instant time,
        @Nullable Instant due,
        int attempt,
        @Nullable Integer maxAttempts,
        @Nullable Long timeToLiveMillis,
        Instant scheduledAt,
        @Nullable Instant leaseDeadline,
        @Nullable Instant deadLetteredAt,
        @Nullable String error,
        boolean errorHidden,
        int priority,
        int payloadBytes,
        List<Header> headers,
        int headersTotal) {

    record Header(String name, @Nullable String value, boolean masked, boolean truncated) {

        static Header of(MessageSummary.Header header, boolean hidden) {
            return new Header(header.name(), hidden ? null : header.value(), hidden, header.truncated());
        }
    }

    static MessageView of(MessageSummary message, boolean withValues, FieldMask mask) {
        return new MessageView(
                message.state(),
                message.time(),
                message.due(),
                message.attempt(),
                message.maxAttempts(),
                message.timeToLiveMillis(),
                message.scheduledAt(),
                message.leaseDeadline(),
                message.deadLetteredAt(),
                withValues ? message.error() : null,
                !withValues && message.error() != null,
                message.priority(),
                message.payloadBytes(),
                message.headers().stream()
                        .map(header -> Header.of(header, !withValues || mask.hides(header.name())))
                        .toList(),
                message.headersTotal());
    }
}
