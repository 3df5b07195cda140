package io.delayqueue.spring.actuate;

import io.delayqueue.DeadLetter;
import io.delayqueue.InFlightMessages;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.ErrorGroups;
import io.delayqueue.spring.operator.UpcomingLoad;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads for one caller, in descriptors.
 *
 * @param operator is asked
 * @param caller asks
 * @param descriptors shows what the caller may see
 */
record TopicReader(DelayQueueOperator operator, Caller caller, DescriptorMapper descriptors) {

    TopicsDescriptor topics() {
        Map<String, TopicStatsDescriptor> topics = new TreeMap<>();
        operator.topics(caller).forEach((name, stats) -> topics.put(name, descriptors.stats(stats)));
        return new TopicsDescriptor(topics);
    }

    @Nullable
    TopicDescriptor topic(String topic) {
        return operator.topic(caller, topic).map(stats -> topic(topic, stats)).orElse(null);
    }

    private TopicDescriptor topic(String topic, TopicStats stats) {
        List<DeadLetter> dead = stats.dead() == 0
                ? List.of()
                : operator.deadLetters(caller, topic, 0, DelayQueueEndpoint.MAX_DEAD_LETTERS);
        return new TopicDescriptor(
                descriptors.stats(stats),
                operator.listeners(caller, topic).stream()
                        .map(descriptors::listener)
                        .toList(),
                stats.inFlight() == 0
                        ? List.of()
                        : operator.inFlight(caller, topic, 1).holders().stream()
                                .map(descriptors::holder)
                                .toList(),
                dead.stream().map(descriptors::deadLetter).toList());
    }

    @Nullable
    MessageDescriptor message(String topic, String id) {
        return operator.find(caller, topic, id).map(descriptors::message).orElse(null);
    }

    /** A full page names the next one. */
    PendingPageDescriptor pending(String topic, Position after, int limit) {
        List<PendingMessage> page = operator.pending(caller, topic, after, limit);
        String next = page.size() < limit
                ? null
                : ReadRequest.text(page.get(page.size() - 1).position());
        return new PendingPageDescriptor(
                topic, page.stream().map(descriptors::pending).toList(), next);
    }

    InFlightDescriptor inFlight(String topic, int limit) {
        InFlightMessages inFlight = operator.inFlight(caller, topic, limit);
        return new InFlightDescriptor(
                topic,
                inFlight.time(),
                inFlight.holders().stream().map(descriptors::holder).toList(),
                inFlight.messages().stream().map(descriptors::inFlight).toList());
    }

    @Nullable
    StoryDescriptor story(String topic, String id) {
        return operator.story(caller, topic, id).map(descriptors::story).orElse(null);
    }

    /** A page with large payloads is shorter than its limit, and not the last one. */
    DeadLetterPageDescriptor deadLetters(String topic, int offset, int limit) {
        List<DeadLetter> page = operator.deadLetters(caller, topic, offset, limit);
        int next = offset + page.size();
        return new DeadLetterPageDescriptor(
                topic,
                page.stream().map(descriptors::deadLetter).toList(),
                page.isEmpty() || next > ReadRequest.MAX_OFFSET ? null : next);
    }

    ErrorsDescriptor errors(String topic) {
        ErrorGroups errors = operator.bulk().errorGroups(caller, topic);
        return new ErrorsDescriptor(
                topic,
                errors.examined(),
                errors.groups().stream().map(descriptors::errorGroup).toList());
    }

    JobsDescriptor jobs() {
        return new JobsDescriptor(
                operator.bulk().jobs(caller).stream().map(BulkActions::job).toList());
    }

    LoadDescriptor load(String topic, Duration bucket, int buckets) {
        UpcomingLoad load = operator.upcomingLoad(caller, topic, bucket, buckets);
        return new LoadDescriptor(topic, load.time(), load.bucket(), load.overdue(), load.due(), load.later());
    }
}
