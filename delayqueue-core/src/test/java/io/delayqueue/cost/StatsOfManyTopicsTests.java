package io.delayqueue.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The numbers of many topics don't block Redis: they are asked for in scripts of bounded work, one after the other. */
@ExtendWith(EmbeddedRedisExtension.class)
class StatsOfManyTopicsTests {

    private static final int TOPICS = 1_020;
    private static final int TOPICS_OF_A_SCRIPT = 50;

    @Test
    void noScriptCountsMoreThanFiftyTopics(EmbeddedRedis redis) throws Exception {
        try (CountedQueue counted =
                new CountedQueue(redis, TestQueue.clientOptions().build())) {
            List<String> topics =
                    IntStream.range(0, TOPICS).mapToObj(i -> "topic-" + i).toList();
            counted.queue.scheduleAll(topics.stream()
                    .map(topic -> OutgoingMessage.to(topic)
                            .payload(new byte[1])
                            .delay(Duration.ofDays(1))
                            .build())
                    .toList());
            counted.probe.resetStats();

            Map<String, TopicStats> stats = counted.queue.stats(topics);

            Map<String, Long> calls = counted.probe.calls();
            assertThat(calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L))
                    .isBetween((long) TOPICS / TOPICS_OF_A_SCRIPT + 1, (long) TOPICS / TOPICS_OF_A_SCRIPT + 2);
            assertThat(stats.keySet()).containsExactlyElementsOf(topics);
            assertThat(stats.values())
                    .allSatisfy(each -> assertThat(each.pending().scheduled()).isEqualTo(1));
        }
    }
}
