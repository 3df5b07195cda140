package io.delayqueue.dashboard.read;

import io.delayqueue.DeadLetter;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of dead letters, without payloads.
 *
 * @param next offset of the page after it; null if there is none
 */
record DeadView(List<Row> messages, @Nullable Integer next) implements ErrorTexts {

    private static final int MAX_ERROR = 2_000;
    private static final int MAX_OFFSET = 10_000;

    record Row(
            String id, int attempts, @Nullable String error, Instant scheduledAt, Instant deadLetteredAt, int bytes) {}

    /** A page with large payloads is shorter than its limit, and not the last one. */
    static DeadView of(List<DeadLetter> page, int offset) {
        int next = offset + page.size();
        return new DeadView(
                page.stream()
                        .map(letter -> new Row(
                                letter.id(),
                                letter.attempts(),
                                Texts.first(letter.error(), MAX_ERROR),
                                letter.scheduledAt(),
                                letter.deadLetteredAt(),
                                letter.payload().length))
                        .toList(),
                page.isEmpty() || next > MAX_OFFSET ? null : next);
    }

    @Override
    public DeadView withoutErrors() {
        return new DeadView(
                messages.stream()
                        .map(row -> new Row(row.id, row.attempts, null, row.scheduledAt, row.deadLetteredAt, row.bytes))
                        .toList(),
                next);
    }
}
