package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Retry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FindScriptTests extends ScriptTests {

    @Test
    void aScheduledMessageIsShownWithEverythingItHas() {
        Instant before = Instant.now();
        schedule(message("a")
                .delay(HOUR)
                .priority(8)
                .maxAttempts(7)
                .timeToLive(Duration.ofDays(2))
                .header("kind", "new"));
        long asked = nowMicros();
        MessageInfo found = find("a");

        assertThat(found.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(found.due()).isEqualTo(Micros.instant(raw.scheduled(8).get("a")));
        assertThat(found.attempt()).isZero();
        assertThat(found.leaseDeadline()).isNull();
        assertThat(found.deadLetteredAt()).isNull();
        assertThat(found.error()).isNull();
        assertThat(found.maxAttempts()).isEqualTo(7);
        assertThat(found.timeToLive()).isEqualTo(Duration.ofDays(2));
        assertThat(found.scheduledAt()).isBetween(before.truncatedTo(ChronoUnit.MILLIS), Instant.now());
        assertThat(found.time()).isBetween(Micros.instant(asked), Micros.instant(nowMicros()));
        assertThat(found.priority()).isEqualTo(8);
        assertThat(found.headers()).isEqualTo(Map.of("kind", "new"));
        assertThat(found.payload()).asString().isEqualTo("body of a");
    }

    @Test
    void aDueMessageIsReady() {
        schedule(message("a"));

        MessageInfo found = find("a");
        assertThat(found.state()).isEqualTo(MessageState.READY);
        assertThat(found.maxAttempts()).isNull();
        assertThat(found.timeToLive()).isNull();
    }

    @Test
    void aMessageInFlightHasADeadlineAndAnAttemptUnderWay() {
        schedule(message("a"));
        Claimed claimed = claimOne();
        MessageInfo found = find("a");

        assertThat(found.state()).isEqualTo(MessageState.IN_FLIGHT);
        assertThat(found.leaseDeadline()).isEqualTo(Micros.instant(claimed.receipt()));
        assertThat(found.attempt()).isEqualTo(1);
        assertThat(found.due()).isNull();
    }

    @Test
    void aRetriedMessageHasItsAttempts() {
        schedule(message("a"));
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, HOUR, 4, "oh"))));

        assertThat(find("a").state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(find("a").attempt()).isEqualTo(1);
    }

    @Test
    void aDeadMessageHasItsErrorAndItsTimeOfDeadLettering() {
        bury(message("a"));
        MessageInfo found = find("a");

        assertThat(found.state()).isEqualTo(MessageState.DEAD);
        assertThat(found.deadLetteredAt()).isEqualTo(Micros.instant(raw.dead().get("a")));
        assertThat(found.error()).isEqualTo("no use");
        assertThat(found.attempt()).isEqualTo(1);
        assertThat(found.due()).isNull();
    }

    @Test
    void aMessageThatNeverWasOrIsNeitherScheduledLeasedNorDeadIsNotFound() {
        schedule(message("a"));
        redis.del(raw.name(":scheduled"));

        assertThat(get(store.find(PARTITION, "never"))).isEmpty();
        assertThat(get(store.find(PARTITION, "a"))).isEmpty();
        get(store.cancel(PARTITION, List.of("a")));
    }

    @Test
    void aDamagedMessageIsNamed() {
        schedule(message("a"));
        redis.hset(raw.name(":messages"), "a", "x");

        assertThatThrownBy(() -> find("a"))
                .hasCauseInstanceOf(UnexpectedReplyException.class)
                .hasMessageContaining("'a'")
                .hasMessageContaining(TOPIC);
    }

    private MessageInfo find(String id) {
        return get(store.find(PARTITION, id)).orElseThrow();
    }
}
