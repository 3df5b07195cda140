package io.delayqueue.internal.redis;

import static io.delayqueue.CancelOutcome.CANCELLED;
import static io.delayqueue.CancelOutcome.IN_FLIGHT;
import static io.delayqueue.CancelOutcome.NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.Retry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CancelScriptTests extends ScriptTests {

    @Test
    void aWaitingAndAReadyMessageOfAnyPriorityAreGone() {
        schedule(
                message("waiting").delay(HOUR), message("ready"), message("low").priority(0));

        assertThat(get(store.cancel(PARTITION, List.of("waiting", "ready", "low"))))
                .containsExactly(CANCELLED, CANCELLED, CANCELLED);
        assertThat(raw.present()).containsExactly(":meta");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "3", "cancelled", "3"));
        assertThat(claim().claimed()).isEmpty();
    }

    @Test
    void aRetriedMessageIsGoneWithItsAttempts() {
        schedule(message("a"));
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, HOUR, 4, "oh"))));

        assertThat(get(store.cancel(PARTITION, List.of("a")))).containsExactly(CANCELLED);
        assertThat(raw.present()).containsExactly(":meta");
    }

    @Test
    void aDeadMessageIsGoneWithItsError() {
        bury(message("a").priority(6));

        assertThat(get(store.cancel(PARTITION, List.of("a")))).containsExactly(CANCELLED);
        assertThat(raw.present()).containsExactly(":meta");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "deadLettered", "1", "cancelled", "1"));
    }

    @Test
    void aMessageInFlightIsLeftAlone() {
        schedule(message("a").priority(6));
        claimOne();
        Map<String, Object> before = raw.everything();

        assertThat(get(store.cancel(PARTITION, List.of("a")))).containsExactly(IN_FLIGHT);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aMessageThatNeverWasOrIsDoneIsNotFound() {
        schedule(message("done"));
        get(store.ack(PARTITION, nextCall(), List.of(claimOne().lease())));
        Map<String, Object> before = raw.everything();

        assertThat(get(store.cancel(PARTITION, List.of("done", "never")))).containsExactly(NOT_FOUND, NOT_FOUND);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aMixedBatchIsAnsweredInItsOrder() {
        bury(message("dead"));
        schedule(message("flying"));
        claimOne();
        schedule(message("waiting").delay(HOUR), message("urgent").delay(HOUR).priority(9));

        assertThat(get(store.cancel(PARTITION, List.of("never", "waiting", "flying", "dead", "urgent"))))
                .containsExactly(NOT_FOUND, CANCELLED, IN_FLIGHT, CANCELLED, CANCELLED);
        assertThat(raw.messages()).containsOnlyKeys("flying");
    }

    @Test
    void aBodyWithoutAPlaceIsCleanedUpAndCountedAsPurged() {
        schedule(message("a"));
        redis.del(raw.name(":scheduled"));
        redis.hset(raw.name(":attempts"), "a", "1");

        assertThat(get(store.cancel(PARTITION, List.of("a")))).containsExactly(NOT_FOUND);
        assertThat(raw.present()).containsExactly(":meta");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "orphaned", "1", "purged", "1"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 9})
    void aDamagedMessageOfAnyPriorityCanBeCancelled(int priority) {
        schedule(message("a").priority(priority));
        redis.hset(raw.name(":messages"), "a", "");

        assertThat(get(store.cancel(PARTITION, List.of("a")))).containsExactly(CANCELLED);
        assertThat(raw.present()).containsExactly(":meta");
    }
}
