package io.delayqueue.internal.engine;

import io.delayqueue.InFlightMessages;
import io.delayqueue.InFlightMessages.Holder;
import io.delayqueue.InFlightMessages.Message;
import io.delayqueue.internal.ConsumerId;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Puts the messages in flight of several partitions together, and names instances instead of their consumers. */
final class InFlightParts {

    private static final Comparator<Holder> MOST_FIRST =
            Comparator.comparingLong(Holder::messages).reversed().thenComparing(Holder::instance);

    private static final Comparator<Message> FIRST_END_FIRST =
            Comparator.comparing(Message::leaseUntil).thenComparing(Message::id);

    private InFlightParts() {}

    /** @param parts of each partition, with consumers in the place of instances; at least one */
    static InFlightMessages together(Collection<InFlightMessages> parts, int limit) {
        Map<String, Holder> holders = new TreeMap<>();
        parts.stream()
                .flatMap(part -> part.holders().stream())
                .map(holder -> new Holder(ConsumerId.instanceOf(holder.instance()), holder.messages(), holder.since()))
                .forEach(holder -> holders.merge(holder.instance(), holder, InFlightParts::sum));
        Instant time = parts.stream()
                .map(InFlightMessages::time)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        List<Message> messages = parts.stream()
                .flatMap(part -> part.messages().stream())
                .sorted(FIRST_END_FIRST)
                .limit(limit)
                .map(InFlightParts::withInstance)
                .toList();
        return new InFlightMessages(
                time, holders.values().stream().sorted(MOST_FIRST).toList(), messages);
    }

    private static Message withInstance(Message message) {
        String consumer = message.holder();
        return new Message(
                message.id(),
                message.attempt(),
                consumer == null ? null : ConsumerId.instanceOf(consumer),
                message.since(),
                message.leaseUntil(),
                message.bytes());
    }

    private static Holder sum(Holder a, Holder b) {
        return new Holder(a.instance(), a.messages() + b.messages(), earlier(a.since(), b.since()));
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.isBefore(b) ? a : b;
    }
}
