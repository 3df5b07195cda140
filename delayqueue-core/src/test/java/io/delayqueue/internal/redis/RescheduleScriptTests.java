package io.delayqueue.internal.redis;

import static io.delayqueue.RescheduleOutcome.IN_FLIGHT;
import static io.delayqueue.RescheduleOutcome.NOT_FOUND;
import static io.delayqueue.RescheduleOutcome.RESCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.internal.store.RescheduleAnswer;
import io.delayqueue.internal.store.Retry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RescheduleScriptTests extends ScriptTests {

    @Test
    void aWaitingAndAReadyMessageHaveTheirNewDueTime() {
        schedule(
                message("waiting").delay(HOUR.multipliedBy(9)), message("ready").priority(7));
        long before = nowMicros();
        RescheduleAnswer answer = reschedule(Delay.of(HOUR), "waiting", "ready");

        assertThat(answer.outcomes()).containsExactly(RESCHEDULED, RESCHEDULED);
        assertThat(answer.waitMicros()).isEqualTo(Micros.of(HOUR));
        assertThat(raw.scheduled().get("waiting")).isBetween(before + Micros.of(HOUR), nowMicros() + Micros.of(HOUR));
        assertThat(raw.scheduled(7)).containsOnlyKeys("ready");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "2"));
        assertThat(claim().claimed()).isEmpty();
    }

    @Test
    void anInstantIsKeptToTheMicrosecondAndAPastOneIsDueAtOnce() {
        schedule(message("a").delay(HOUR));
        Instant due = Instant.parse("2100-02-28T12:00:00.123456Z");
        reschedule(Delay.until(due), "a");
        assertThat(raw.scheduled()).isEqualTo(Map.of("a", Micros.of(due)));

        assertThat(reschedule(Delay.until(Instant.EPOCH), "a").waitMicros()).isZero();
        assertThat(claimOne().message().id()).isEqualTo("a");
    }

    @Test
    void aRetriedMessageKeepsItsAttempts() {
        schedule(message("a"));
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, HOUR, 4, "oh"))));
        reschedule(Delay.NONE, "a");

        assertThat(claimOne().message().attempt()).isEqualTo(2);
    }

    @Test
    void aDeadMessageComesBackToLifeWithItsAttemptsForgotten() {
        bury(message("a").priority(8));
        claim();
        assertThat(raw.meta()).doesNotContainKey("priorities");

        assertThat(reschedule(Delay.of(HOUR), "a").outcomes()).containsExactly(RESCHEDULED);
        assertThat(raw.present()).containsExactlyInAnyOrder(":messages", ":meta", ":scheduled:8");
        assertThat(raw.meta()).containsEntry("priorities", "8");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "deadLettered", "1", "redriven", "1"));
    }

    @Test
    void aMessageInFlightIsLeftAloneAndAnUnknownOneNotFound() {
        schedule(message("a"));
        claimOne();
        Map<String, Object> before = raw.everything();

        assertThat(reschedule(Delay.NONE, "a", "never").outcomes()).containsExactly(IN_FLIGHT, NOT_FOUND);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aDamagedMessageKeepsItsPriority() {
        schedule(message("a").priority(9));
        redis.hset(raw.name(":messages"), "a", "");

        assertThat(reschedule(Delay.of(HOUR), "a").outcomes()).containsExactly(RESCHEDULED);
        assertThat(raw.scheduled(9)).containsOnlyKeys("a");
    }

    private RescheduleAnswer reschedule(Delay delay, String... ids) {
        return get(store.reschedule(PARTITION, List.of(ids), delay));
    }
}
