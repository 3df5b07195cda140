package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Survey;
import io.delayqueue.Survey.DueCorrection;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A partition's number of partitions was evicted or deleted: a survey tells it again, and goes on. */
class SurveyTests {

    private static final String TOPIC = "wide";
    private static final int PARTITIONS = 3;
    private static final int COUNT = 60;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    /** Counters of the evicted keys add up no more. */
    @AfterEach
    void forget() {
        test.redis().flushall();
    }

    @Test
    void findsMessages() {
        Survey survey = filled();
        for (int evicted = 0; evicted < PARTITIONS; evicted++) {
            evict(evicted);
            assertThat(survey.find(ids()).messages()).hasSize(COUNT);
            assertThat(count(evicted)).isEqualTo("3");
        }
    }

    @Test
    void pagesMessages() {
        Survey survey = filled();
        long messages = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            evict(partition);
            messages += survey.page(partition, null).messages().size();
            assertThat(count(partition)).isEqualTo("3");
        }
        assertThat(messages).isEqualTo(COUNT);
    }

    @Test
    void correctsAndDropsMessages() {
        Survey survey = filled();
        Collection<SurveyedMessage> found = survey.find(ids()).messages();
        evict(1);
        assertThat(survey.correctDue(found.stream()
                        .map(message -> new DueCorrection(
                                message.id(), message.generation(), message.dueMicros(), message.dueMicros() + 1_000))
                        .toList()))
                .isEqualTo(COUNT);
        evict(2);
        assertThat(survey.drop(
                        found.stream().collect(Collectors.toMap(SurveyedMessage::id, SurveyedMessage::generation))))
                .isEqualTo(COUNT);
        assertThat(survey.find(ids()).messages()).isEmpty();
    }

    /** Only the caller has seen that there are more. */
    @Test
    void theCallerTellsTheNumberThatItHasSeen() throws Exception {
        filled();
        evict(0);
        evict(1);
        Survey survey = test.open(options -> options).survey(TOPIC);

        assertThat(survey.partitions(0).toCompletableFuture().get(20, TimeUnit.SECONDS))
                .isEqualTo(1);
        assertThat(survey.partitions(PARTITIONS).toCompletableFuture().get(20, TimeUnit.SECONDS))
                .isEqualTo(PARTITIONS);

        assertThat(List.of(count(0), count(1), count(2))).containsOnly("3");
        assertThat(survey.find(ids()).messages()).hasSize(COUNT);
        assertThat(survey.marks()).hasSize(PARTITIONS);
    }

    private Survey filled() {
        DelayQueueClient queue = test.open(options -> options.topic(
                TOPIC, TopicOptions.builder().partitions(PARTITIONS).build()));
        queue.scheduleAll(ids().stream()
                .map(id -> OutgoingMessage.to(TOPIC)
                        .id(id)
                        .payload(new byte[1])
                        .delay(Duration.ofHours(1))
                        .build())
                .toList());
        return queue.survey(TOPIC);
    }

    private static List<String> ids() {
        return IntStream.range(0, COUNT).mapToObj(i -> "m" + i).toList();
    }

    private void evict(int partition) {
        assertThat(test.redis().del(meta(partition))).isEqualTo(1);
    }

    private String count(int partition) {
        return test.redis().hget(meta(partition), "partitions");
    }

    private static String meta(int partition) {
        return "dq:{" + TOPIC + ":" + partition + "}:meta";
    }
}
