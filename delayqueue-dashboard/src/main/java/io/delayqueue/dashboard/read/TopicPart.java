package io.delayqueue.dashboard.read;

import io.delayqueue.PendingMessages.Position;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A part of what is shown of a topic. Two that are equal show the same. */
public sealed interface TopicPart {

    /** Time for which a part is shown again to others. */
    Duration SHARED = Duration.ofSeconds(1);

    /** Time for which error groups are shown again: up to 1,000 dead letters are read for them. */
    Duration ERRORS_SHARED = Duration.ofSeconds(20);

    /** Its topic. */
    String topic();

    /** Its name in requests and answers. */
    String name();

    /** Reads it. */
    Object read(DelayQueueOperator operator, Caller reader);

    /** Time for which it is shown again to others. */
    default Duration lifetime() {
        return SHARED;
    }

    /** The topic's numbers; an empty answer if there is no such topic. */
    record Stats(String topic) implements TopicPart {
        @Override
        public String name() {
            return "stats";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return operator.topic(reader, topic);
        }
    }

    /** Messages due from now on. */
    record Load(String topic, Duration bucket, int buckets) implements TopicPart {
        @Override
        public String name() {
            return "load";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return LoadView.of(operator.upcomingLoad(reader, topic, bucket, buckets));
        }
    }

    /** Next messages. */
    record Pending(String topic, Position after, int limit) implements TopicPart {
        @Override
        public String name() {
            return "pending";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return PendingView.of(operator.pending(reader, topic, after, limit), limit);
        }
    }

    /** Messages that consumers have. */
    record InFlight(String topic, int limit) implements TopicPart {
        @Override
        public String name() {
            return "inFlight";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return InFlightView.of(operator.inFlight(reader, topic, limit));
        }
    }

    /** A page of dead letters. */
    record Dead(String topic, int offset, int limit) implements TopicPart {
        @Override
        public String name() {
            return "dead";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return DeadView.of(operator.deadLetters(reader, topic, offset, limit), offset);
        }
    }

    /** Dead letters by their errors. */
    record Errors(String topic) implements TopicPart {
        @Override
        public String name() {
            return "errors";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return ErrorsView.of(operator.bulk().errorGroups(reader, topic), Instant.now());
        }

        @Override
        public Duration lifetime() {
            return ERRORS_SHARED;
        }
    }

    /** Listeners in this process. */
    record Listeners(String topic) implements TopicPart {
        @Override
        public String name() {
            return "listeners";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return operator.listeners(reader, topic).stream()
                    .map(ListenerView::of)
                    .toList();
        }
    }

    /** Bulk operations of the topic in this process. */
    record Jobs(String topic) implements TopicPart {
        @Override
        public String name() {
            return "jobs";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            List<JobView> jobs = JobView.latestFirst(operator.bulk().jobs(reader));
            return jobs.stream().filter(job -> job.topic().equals(topic)).toList();
        }
    }

    /** The story of a message; an empty answer if nothing is known. */
    record StoryOf(String topic, String id) implements TopicPart {
        @Override
        public String name() {
            return "story";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return operator.story(reader, topic, id).map(StoryView::of);
        }
    }

    /** A message without its payload; an empty answer if there is none. */
    record Message(String topic, String id, int maxHeaders) implements TopicPart {
        @Override
        public String name() {
            return "message";
        }

        @Override
        public Object read(DelayQueueOperator operator, Caller reader) {
            return operator.find(reader, topic, id).map(message -> MessageSummary.of(message, maxHeaders));
        }
    }
}
