package io.delayqueue.jdbc.relay;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.outbox.MessageId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies several listeners. The failure of one fails the transaction if the listener writes in it; else it is logged, and the others
 * are notified.
 *
 * @param listeners in the order in which they are notified
 */
public record OutboxListeners(List<OutboxListener> listeners) implements OutboxListener {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    public OutboxListeners {
        listeners = List.copyOf(listeners);
    }

    @Override
    public Set<PartitionMark> doubtful(Set<PartitionMark> marks) {
        Set<PartitionMark> doubtful = new HashSet<>();
        listeners.forEach(listener -> doubtful.addAll(listener.doubtful(marks)));
        return doubtful;
    }

    @Override
    public void sent(List<SentChange> changes, List<PartitionMark> marks) {
        listeners.forEach(listener -> listener.sent(changes, marks));
    }

    @Override
    public void postponed(MessageId key, String error) {
        tell(listener -> listener.postponed(key, error));
    }

    @Override
    public void blocked(MessageId key, String error) {
        tell(listener -> listener.blocked(key, error));
    }

    @Override
    public void leftToRelay(int changes) {
        tell(listener -> listener.leftToRelay(changes));
    }

    @Override
    public void answered(Duration sinceCommit) {
        tell(listener -> listener.answered(sinceCommit));
    }

    private void tell(Consumer<OutboxListener> call) {
        for (OutboxListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (RuntimeException e) {
                log.warn("A listener of the outbox failed: {}", listener, e);
            }
        }
    }
}
