package io.delayqueue.gateway.callback;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.DelayQueueClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Sends dead-lettered callbacks again. Safe for use by many threads. */
public final class CallbackReplay {

    private final DelayQueueClient client;

    /** Replays messages of a client. */
    public CallbackReplay(DelayQueueClient client) {
        this.client = client;
    }

    /**
     * Makes the messages of a topic due at once that were dead-lettered within a span, with their attempts reset. Receivers
     * recognise them by the same {@code webhook-id}. Looks through the dead letters that are younger than the span's begin, latest first;
     * waits for Redis.
     *
     * @param from begin of the span, inclusive, by Redis' clock
     * @param to end of the span, exclusive
     * @return number of messages that are sent again
     * @throws IllegalArgumentException if the span ends before it begins
     * @throws io.delayqueue.DelayQueueException if Redis fails; then some messages may be due already
     */
    public long replay(String topic, Instant from, Instant to) {
        if (to.isBefore(from)) {
            throw new IllegalArgumentException("the span ends at " + to + ", before it begins at " + from);
        }
        DeadLetters deadLetters = client.deadLetters(topic);
        List<String> ids = new ArrayList<>();
        for (int offset = 0; ; ) {
            List<DeadLetter> page = deadLetters.list(offset, DeadLetters.MAX_PAGE_SIZE);
            page.stream()
                    .filter(letter -> !letter.deadLetteredAt().isBefore(from)
                            && letter.deadLetteredAt().isBefore(to))
                    .map(DeadLetter::id)
                    .forEach(ids::add);
            if (page.isEmpty() || page.get(page.size() - 1).deadLetteredAt().isBefore(from)) {
                break;
            }
            offset += page.size();
        }
        long replayed = 0;
        for (int i = 0; i < ids.size(); i += DeadLetters.MAX_PAGE_SIZE) {
            replayed += deadLetters.redrive(ids.subList(i, Math.min(ids.size(), i + DeadLetters.MAX_PAGE_SIZE)));
        }
        return replayed;
    }
}
