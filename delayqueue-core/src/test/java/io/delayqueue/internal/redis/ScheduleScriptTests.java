package io.delayqueue.internal.redis;

import static io.delayqueue.ScheduleOutcome.KEPT;
import static io.delayqueue.ScheduleOutcome.REJECTED_DUPLICATE;
import static io.delayqueue.ScheduleOutcome.REPLACED;
import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.ScheduleAnswer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleScriptTests extends ScriptTests {

    @Test
    void messageIsKeptUnderItsDueTime() {
        long before = nowMicros();
        ScheduleAnswer answer =
                get(store.schedule(PARTITION, List.of(message("a").delay(HOUR).build())));

        assertThat(answer.outcomes()).containsExactly(SCHEDULED);
        assertThat(answer.headWaitMicros()).isEqualTo(Micros.of(HOUR));
        assertThat(raw.present()).containsExactlyInAnyOrder(":messages", ":meta", ":scheduled");
        assertThat(raw.messages().get("a")).startsWith("1S4-").endsWith(";body of a");
        assertThat(raw.scheduled().get("a")).isBetween(before + Micros.of(HOUR), nowMicros() + Micros.of(HOUR));
        assertThat(raw.meta()).isEqualTo(Map.of("accepted", "1", "format", "1"));
    }

    @Test
    void instantsAreKeptToTheMicrosecond() {
        Instant due = Instant.parse("2100-02-28T12:00:00.123456Z");
        schedule(message("a").dueAt(due), message("rounded up").dueAt(due.plusNanos(1)));

        assertThat(raw.scheduled()).containsEntry("a", Micros.of(due)).containsEntry("rounded up", Micros.of(due) + 1);
    }

    @Test
    void theLastInstantIsNotEarlierAfterRoundingToAScore() {
        schedule(message("a").dueAt(Delay.LATEST), message("b").delay(Delay.LONGEST));

        assertThat(raw.scheduled().get("a"))
                .isGreaterThanOrEqualTo(Micros.of(Delay.LATEST))
                .isCloseTo(Micros.of(Delay.LATEST), within(64L));
        assertThat(raw.scheduled().get("b")).isCloseTo(nowMicros() + Micros.of(Delay.LONGEST), within(10_000_000L));
        assertThat(get(store.find(PARTITION, "a")).map(MessageInfo::due))
                .hasValueSatisfying(due -> assertThat(due).isAfterOrEqualTo(Delay.LATEST));
    }

    @Test
    void pastInstantsAreDueAtOnce() {
        Instant past = Instant.parse("1066-10-14T09:00:00Z");
        ScheduleAnswer answer =
                get(store.schedule(PARTITION, List.of(message("a").dueAt(past).build())));

        assertThat(answer.headWaitMicros()).isZero();
        assertThat(ids(claim())).containsExactly("a");
    }

    @Test
    void headWaitIsReturnedOnlyIfTheHeadGotEarlier() {
        assertThat(headWait(message("a").delay(HOUR))).isEqualTo(Micros.of(HOUR));
        assertThat(headWait(message("later").delay(HOUR.multipliedBy(2)))).isEqualTo(-1);
        assertThat(headWait(message("earlier").delay(HOUR.dividedBy(2)))).isEqualTo(Micros.of(HOUR) / 2);
        assertThat(headWait(message("now"))).isZero();
        assertThat(headWait(message("now, too"))).isEqualTo(-1);
    }

    @Test
    void dueWithTheHeadIsNotEarlier() {
        Instant due = Instant.now().plus(HOUR);

        assertThat(headWait(message("a").dueAt(due))).isPositive();
        assertThat(headWait(message("b").dueAt(due))).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({"4, 9", "9, 4", "0, 9", "9, 0"})
    void theEarliestHeadOfABatchIsReturned(int first, int second) {
        OutgoingMessage early = message("early").priority(first).delay(HOUR).build();
        OutgoingMessage late =
                message("late").priority(second).delay(HOUR.multipliedBy(2)).build();
        assertThat(get(store.schedule(PARTITION, List.of(early, late))).headWaitMicros())
                .isEqualTo(Micros.of(HOUR));

        get(store.cancel(PARTITION, List.of("early", "late")));
        OutgoingMessage earlier =
                message("earlier").priority(first).delay(HOUR.dividedBy(2)).build();
        assertThat(get(store.schedule(PARTITION, List.of(late, earlier))).headWaitMicros())
                .isEqualTo(Micros.of(HOUR) / 2);
    }

    @Test
    void eachPriorityHasAHeadOfItsOwn() {
        assertThat(headWait(message("a").delay(HOUR))).isPositive();
        assertThat(headWait(message("urgent").delay(HOUR.multipliedBy(2)).priority(9)))
                .isPositive();

        assertThat(raw.scheduled(9)).containsOnlyKeys("urgent");
        assertThat(raw.scheduled()).containsOnlyKeys("a");
        assertThat(raw.meta()).containsEntry("priorities", "9");
    }

    @Test
    void allPrioritiesAreNotedOnce() {
        schedule(IntStream.range(0, 20)
                .mapToObj(i -> message("m" + i).priority(i % 10).build())
                .toList());

        assertThat(raw.meta().get("priorities")).hasSize(9).doesNotContain("4");
        IntStream.range(0, 10)
                .forEach(priority -> assertThat(raw.scheduled(priority)).hasSize(2));
    }

    @Test
    void aBatchOf512IsTakenAndCounted() {
        List<ScheduleOutcome> outcomes = schedule(
                IntStream.range(0, 512).mapToObj(i -> message("m" + i).build()).toList());

        assertThat(outcomes).hasSize(512).containsOnly(SCHEDULED);
        assertThat(raw.scheduled()).hasSize(512);
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "512"));
    }

    @Test
    void aBatchWithIdsThatAreTakenChangesNoMoreThanItsAnswersSay() {
        schedule(
                message("m3").delay(HOUR),
                message("m5").delay(HOUR),
                message("m7").delay(HOUR));
        String three = raw.messages().get("m3");
        String five = raw.messages().get("m5");

        List<ScheduleOutcome> outcomes = schedule(IntStream.range(0, 20)
                .mapToObj(i -> message("m" + i)
                        .payload(new byte[] {1})
                        .ifExists(
                                i == 5
                                        ? DuplicatePolicy.KEEP
                                        : i == 7 ? DuplicatePolicy.REPLACE : DuplicatePolicy.REJECT)
                        .build())
                .toList());

        assertThat(outcomes)
                .hasSize(20)
                .startsWith(SCHEDULED, SCHEDULED, SCHEDULED, REJECTED_DUPLICATE, SCHEDULED, KEPT);
        assertThat(outcomes.get(7)).isEqualTo(REPLACED);
        assertThat(outcomes).filteredOn(SCHEDULED::equals).hasSize(17);
        assertThat(raw.messages()).hasSize(20).containsEntry("m3", three).containsEntry("m5", five);
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "20"));
    }

    @Test
    void aBatchOnceMoreAnswersAsTheFirstTimeAndChangesNothing() {
        List<OutgoingMessage> batch = IntStream.range(0, 20)
                .mapToObj(i -> message("m" + i).delay(HOUR).build())
                .toList();
        assertThat(schedule(batch)).hasSize(20).containsOnly(SCHEDULED);
        Map<String, Object> before = raw.everything();

        assertThat(schedule(batch)).hasSize(20).containsOnly(SCHEDULED);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void theSameCallOnceMoreAnswersAsTheFirstTimeAndChangesNothing() {
        OutgoingMessage message = message("a").delay(HOUR).build();
        assertThat(schedule(List.of(message))).containsExactly(SCHEDULED);
        Map<String, Object> before = raw.everything();

        assertThat(schedule(List.of(message))).containsExactly(SCHEDULED);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void theSameReplacementOnceMoreIsStillAReplacement() {
        schedule(message("a"));
        OutgoingMessage replacement =
                message("a").delay(HOUR).ifExists(DuplicatePolicy.REPLACE).build();
        assertThat(schedule(List.of(replacement))).containsExactly(REPLACED);
        Map<String, Object> before = raw.everything();

        assertThat(schedule(List.of(replacement))).containsExactly(REPLACED);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void theSameCallOnceMoreIsRecognisedWhileTheMessageIsInFlight() {
        OutgoingMessage message = message("a").build();
        schedule(List.of(message));
        claimOne();
        Map<String, Object> before = raw.everything();

        assertThat(schedule(List.of(message))).containsExactly(SCHEDULED);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aReplacementMovesToItsPriority() {
        schedule(message("a").priority(7).delay(HOUR));

        assertThat(schedule(message("a").priority(2).ifExists(DuplicatePolicy.REPLACE)))
                .containsExactly(REPLACED);
        assertThat(raw.scheduled(7)).isEmpty();
        assertThat(raw.scheduled(2)).containsOnlyKeys("a");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1"));
        assertThat(ids(claim())).containsExactly("a");
    }

    @Test
    void aFullTopicRefusesWhatIsTooMuchAndTakesReplacements() {
        TopicOptions two = TopicOptions.builder().maxPending(2).build();
        try (RedisMessageStore limited = open(options().topic(TOPIC, two))) {
            List<OutgoingMessage> three = List.of(
                    message("a").priority(1).build(),
                    message("b").build(),
                    message("c").build());
            assertThat(get(limited.schedule(PARTITION, three)).outcomes()).containsExactly(SCHEDULED, SCHEDULED, null);
            assertThat(get(limited.schedule(PARTITION, three)).outcomes()).containsExactly(SCHEDULED, SCHEDULED, null);
            assertThat(raw.messages()).containsOnlyKeys("a", "b");
            assertThat(raw.counters()).isEqualTo(Map.of("accepted", "2"));

            OutgoingMessage replacement =
                    message("b").ifExists(DuplicatePolicy.REPLACE).build();
            assertThat(get(limited.schedule(PARTITION, List.of(replacement))).outcomes())
                    .containsExactly(REPLACED);

            claimOne();
            assertThat(get(limited.schedule(PARTITION, three)).outcomes())
                    .element(2)
                    .isEqualTo(SCHEDULED);
        }
    }

    private long headWait(OutgoingMessage.Builder message) {
        return get(store.schedule(PARTITION, List.of(message.build()))).headWaitMicros();
    }
}
