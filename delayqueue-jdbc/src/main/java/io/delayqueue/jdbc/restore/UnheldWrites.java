package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Writes a page of messages, and skips those whose rows other transactions lock. A page that meets one is written in parts, and these in
 * smaller ones, down to single messages. Belongs to one thread, and to one page.
 */
final class UnheldWrites {

    /** A page of 512 is split into parts of 32, of 2, and of 1. */
    private static final int PARTS = 16;

    private final JournalTransaction transaction;
    private final boolean rangesAreHeld;
    private final Function<List<RecordedMessage>, Set<String>> write;
    private final Set<String> written = new HashSet<>();

    /**
     * Writes nothing yet.
     *
     * @param rangesAreHeld whether single rows that others hold were left out before, so that what is met is a range of ids: a part that is
     *     held at both ends is left, as the database's driver may log each attempt
     * @param write writes some messages in the present transaction, and returns the ids of those that it wrote
     */
    UnheldWrites(
            JournalTransaction transaction, boolean rangesAreHeld, Function<List<RecordedMessage>, Set<String>> write) {
        this.transaction = transaction;
        this.rangesAreHeld = rangesAreHeld;
        this.write = write;
    }

    /**
     * Writes as many as can be.
     *
     * @param page sorted by ids
     * @return the ids of those that were written
     */
    Set<String> write(List<RecordedMessage> page) {
        if (!page.isEmpty()) {
            writeAround(page);
        }
        return written;
    }

    private void writeAround(List<RecordedMessage> some) {
        if (isWritten(some) || some.size() == 1 || (rangesAreHeld && isHeldAtBothEnds(some))) {
            return;
        }
        // not those of the ends again: they may have been sent and handled by now
        List<RecordedMessage> left =
                some.stream().filter(message -> !written.contains(message.id())).toList();
        int size = Math.max(1, left.size() / PARTS);
        for (int from = 0; from < left.size(); from += size) {
            writeAround(left.subList(from, Math.min(from + size, left.size())));
        }
    }

    private boolean isHeldAtBothEnds(List<RecordedMessage> some) {
        boolean first = isWritten(some.subList(0, 1));
        boolean last = isWritten(some.subList(some.size() - 1, some.size()));
        return !first && !last;
    }

    private boolean isWritten(List<RecordedMessage> some) {
        Optional<Set<String>> ids = transaction.executeUnlessHeld(() -> write.apply(some));
        ids.ifPresent(written::addAll);
        return ids.isPresent();
    }
}
