package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.internal.store.ScheduleAnswer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fate of a message whose id is taken, for each policy and each state of the old message. */
class DuplicateTests extends ScriptTests {

    enum Old {
        WAITING,
        READY,
        RETRIED,
        IN_FLIGHT,
        DEAD,
        /** Somebody deleted the key with its due time. */
        WITHOUT_PLACE,
        /** Somebody deleted the key with its body. */
        WITHOUT_BODY,
        /** Somebody overwrote its body. */
        DAMAGED,
        DAMAGED_AND_URGENT
    }

    @ParameterizedTest
    @CsvSource({
        "WAITING, REJECT, REJECTED_DUPLICATE",
        "WAITING, KEEP, KEPT",
        "READY, REJECT, REJECTED_DUPLICATE",
        "READY, KEEP, KEPT",
        "RETRIED, REJECT, REJECTED_DUPLICATE",
        "RETRIED, KEEP, KEPT",
        "IN_FLIGHT, REJECT, REJECTED_DUPLICATE",
        "IN_FLIGHT, KEEP, KEPT",
        "IN_FLIGHT, REPLACE, REJECTED_DUPLICATE",
        "DEAD, REJECT, REJECTED_DUPLICATE",
        "DAMAGED, REJECT, REJECTED_DUPLICATE",
        "DAMAGED, KEEP, KEPT",
        "DAMAGED_AND_URGENT, KEEP, KEPT"
    })
    void theOldMessageStays(Old old, DuplicatePolicy policy, ScheduleOutcome expected) {
        prepare(old);
        Map<String, Object> before = raw.everything();

        assertThat(scheduleAgain(policy)).isEqualTo(expected);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({
        "WAITING, REPLACE",
        "READY, REPLACE",
        "RETRIED, REPLACE",
        "DEAD, REPLACE",
        "DEAD, KEEP",
        "DAMAGED, REPLACE",
        "DAMAGED_AND_URGENT, REPLACE"
    })
    void theNewMessageTakesItsPlaceAndCountsOnce(Old old, DuplicatePolicy policy) {
        prepare(old);

        assertThat(scheduleAgain(policy)).isEqualTo(ScheduleOutcome.REPLACED);
        assertThat(raw.messages()).hasSize(1);
        assertThat(raw.messages().get("a")).startsWith("1R6-").endsWith(";new");
        assertThat(raw.scheduled(6)).containsOnlyKeys("a");
        assertThat(raw.scheduled(6).get("a")).isGreaterThan(nowMicros());
        assertThat(raw.counters()).containsEntry("accepted", "1").doesNotContainKeys("purged", "orphaned");
        assertNothingElse();
    }

    @ParameterizedTest
    @CsvSource({
        "WITHOUT_PLACE, REJECT",
        "WITHOUT_PLACE, KEEP",
        "WITHOUT_PLACE, REPLACE",
        "WITHOUT_BODY, REJECT",
        "WITHOUT_BODY, KEEP",
        "WITHOUT_BODY, REPLACE"
    })
    void aMessageThatAnotherProgramDeletedIsNoDuplicateAndCountsAsPurged(Old old, DuplicatePolicy policy) {
        prepare(old);

        assertThat(scheduleAgain(policy)).isEqualTo(ScheduleOutcome.SCHEDULED);
        assertThat(raw.messages().get("a")).startsWith("1S6-").endsWith(";new");
        assertThat(raw.scheduled(6)).containsOnlyKeys("a");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "2", "purged", "1", "orphaned", "1"));
        assertNothingElse();
    }

    @ParameterizedTest
    @CsvSource({
        "WAITING, REJECT, SCHEDULED",
        "WAITING, KEEP, SCHEDULED",
        "READY, REJECT, READY",
        "READY, KEEP, READY",
        "RETRIED, REJECT, SCHEDULED",
        "IN_FLIGHT, REJECT, IN_FLIGHT",
        "IN_FLIGHT, KEEP, IN_FLIGHT",
        "IN_FLIGHT, REPLACE, IN_FLIGHT",
        "DEAD, REJECT, DEAD",
        "DAMAGED_AND_URGENT, KEEP, READY"
    })
    void theAnswerTellsTheStateOfTheOldMessage(Old old, DuplicatePolicy policy, MessageState expected) {
        prepare(old);

        ScheduleAnswer answer = get(store.schedule(
                PARTITION,
                List.of(
                        message("new").build(),
                        message("a").ifExists(policy).build(),
                        message("new too").build())));

        assertThat(answer.existing()).containsExactly(expected);
        assertThat(answer.outcomes())
                .hasSize(3)
                .startsWith(ScheduleOutcome.SCHEDULED)
                .endsWith(ScheduleOutcome.SCHEDULED);
    }

    @Test
    void aDeadLetterGivesWayOnlyIfTheTopicIsNotFull() {
        prepare(Old.DEAD);
        schedule(message("b"));
        TopicOptions one = TopicOptions.builder().maxPending(1).build();
        try (RedisMessageStore limited = open(options().topic(TOPIC, one))) {
            List<OutgoingMessage> keep =
                    List.of(message("a").ifExists(DuplicatePolicy.KEEP).build());

            assertThat(get(limited.schedule(PARTITION, keep)).outcomes()).containsOnlyNulls();
            assertThat(raw.dead()).containsOnlyKeys("a");
        }
    }

    private void assertNothingElse() {
        assertThat(raw.present()).containsExactlyInAnyOrder(":messages", ":meta", ":scheduled:6");
    }

    private ScheduleOutcome scheduleAgain(DuplicatePolicy policy) {
        byte[] payload = "new".getBytes(StandardCharsets.UTF_8);
        return schedule(message("a").payload(payload).priority(6).delay(HOUR).ifExists(policy))
                .get(0);
    }

    private void prepare(Old old) {
        switch (old) {
            case WAITING -> schedule(message("a").delay(HOUR.multipliedBy(2)));
            case READY -> schedule(message("a"));
            case RETRIED -> {
                schedule(message("a"));
                Claimed claimed = claimOne();
                get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimed.lease(), 1, HOUR, 4, "once"))));
                assertThat(raw.attempts()).containsEntry("a", "1");
            }
            case IN_FLIGHT -> {
                schedule(message("a"));
                claimOne();
            }
            case DEAD -> bury(message("a"));
            case WITHOUT_PLACE -> {
                schedule(message("a"));
                redis.del(raw.name(":scheduled"));
                redis.hset(raw.name(":attempts"), "a", "2");
            }
            case WITHOUT_BODY -> {
                schedule(message("a").priority(6));
                redis.del(raw.name(":messages"));
            }
            case DAMAGED, DAMAGED_AND_URGENT -> {
                schedule(message("a").priority(old == Old.DAMAGED ? 4 : 9));
                redis.hset(raw.name(":messages"), "a", "?");
            }
        }
    }
}
