package io.delayqueue.dashboard.read;

import io.delayqueue.InFlightMessages;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages in flight, and the instances that hold them.
 *
 * @param total number of all of them; 0 until it is told
 */
record InFlightView(List<Row> messages, List<Holder> holders, long total) {

    private static final int MAX_HOLDERS = 200;

    record Row(
            String id,
            int attempt,
            @Nullable String holder,
            @Nullable Instant leasedSince,
            Instant leaseDeadline) {}

    record Holder(String holder, long count, @Nullable Instant since) {}

    static InFlightView of(InFlightMessages found) {
        return new InFlightView(
                found.messages().stream()
                        .map(message -> new Row(
                                message.id(),
                                message.attempt(),
                                message.holder(),
                                message.since(),
                                message.leaseUntil()))
                        .toList(),
                found.holders().stream()
                        .limit(MAX_HOLDERS)
                        .map(holder -> new Holder(holder.instance(), holder.messages(), holder.since()))
                        .toList(),
                0);
    }

    InFlightView withTotal(long all) {
        return new InFlightView(messages, holders, all);
    }
}
