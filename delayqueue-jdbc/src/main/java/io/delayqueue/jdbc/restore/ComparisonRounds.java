package io.delayqueue.jdbc.restore;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Names the topics to compare: all of them in a round, and the next round an interval after the end of the one before. A topic whose
 * comparison ended early is compared again, without delaying the next round. For one thread.
 */
final class ComparisonRounds {

    private final Supplier<List<String>> all;
    private final NextComparison next;
    private final Duration interval;
    private final Duration pause;
    private final Deque<String> topics = new ArrayDeque<>();

    /** With the times at which they are compared again, the next one first. */
    private final Map<String, Long> endedEarly = new LinkedHashMap<>();

    private @Nullable Long beginNanos;
    private boolean running;
    private boolean ended = true;

    /**
     * Rounds of which none was begun.
     *
     * @param all topics of the journal
     * @param next the time of the next round, which the journal keeps for instances that start
     * @param interval between rounds; zero for none
     * @param pause before a topic is compared again
     */
    ComparisonRounds(Supplier<List<String>> all, NextComparison next, Duration interval, Duration pause) {
        this.all = all;
        this.next = next;
        this.interval = interval;
        this.pause = pause;
    }

    /** The next topic to compare, if it is time to. The one before was compared, or ended early. */
    @Nullable
    String nextTopic() {
        if (interval.isZero()) {
            return null;
        }
        long now = System.nanoTime();
        beginOrEndRound(now);
        return running ? topics.remove() : thatEndedEarly(now);
    }

    private @Nullable String thatEndedEarly(long now) {
        Iterator<Map.Entry<String, Long>> first = endedEarly.entrySet().iterator();
        if (first.hasNext()) {
            Map.Entry<String, Long> topic = first.next();
            if (now - topic.getValue() >= 0) {
                first.remove();
                return topic.getKey();
            }
        }
        return null;
    }

    /** The comparison of a topic was not done. */
    void endedEarly(String topic) {
        endedEarly.put(topic, System.nanoTime() + pause.toNanos());
    }

    /** The journal gets the time of the next round when all topics were compared: a process that starts before that compares at once. */
    private void beginOrEndRound(long now) {
        if (beginNanos == null) {
            beginNanos = now + next.left(interval).toNanos();
        }
        if (!running && now - beginNanos >= 0) {
            topics.addAll(all.get());
            endedEarly.clear();
            running = true;
            ended = false;
        }
        if (running && topics.isEmpty()) {
            running = false;
            beginNanos = now + interval.toNanos();
        }
        if (!running && !ended && endedEarly.isEmpty()) {
            next.begin(Duration.ofNanos(beginNanos - now));
            ended = true;
        }
    }
}
