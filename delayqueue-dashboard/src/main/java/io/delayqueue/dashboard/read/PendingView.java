package io.delayqueue.dashboard.read;

import io.delayqueue.MessageState;
import io.delayqueue.PendingMessage;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of pending messages.
 *
 * @param next names the page after it; null if there is none
 */
record PendingView(List<Row> messages, @Nullable String next) {

    record Row(String id, MessageState state, Instant due, int priority, int attempts, int bytes) {}

    static PendingView of(List<PendingMessage> page, int limit) {
        return new PendingView(
                page.stream()
                        .map(message -> new Row(
                                message.id(),
                                message.state(),
                                message.due(),
                                message.priority(),
                                message.attempts(),
                                message.bytes()))
                        .toList(),
                page.size() < limit
                        ? null
                        : PagePosition.text(page.get(page.size() - 1).position()));
    }
}
