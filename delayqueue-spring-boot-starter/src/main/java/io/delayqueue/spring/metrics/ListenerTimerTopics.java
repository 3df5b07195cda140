package io.delayqueue.spring.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.List;

/**
 * Gives the timers of surplus topics' listeners the tag {@code topic=}{@value MeteredTopics#OTHER}. They come from an observation, whose
 * spans keep the topic.
 */
public final class ListenerTimerTopics implements MeterFilter {

    private static final String TIMER = "delayqueue.listener";

    private final MeteredTopics metered;

    /** A filter for the topics that have no meters of their own. */
    public ListenerTimerTopics(MeteredTopics metered) {
        this.metered = metered;
    }

    @Override
    public Meter.Id map(Meter.Id id) {
        String topic = id.getName().startsWith(TIMER) ? id.getTag("topic") : null;
        return topic == null || metered.add(topic) ? id : id.withTags(List.of(Tag.of("topic", MeteredTopics.OTHER)));
    }
}
