package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Retry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FindScriptTests extends ScriptTests {

    @Test
    void aWaitingMessageIsShownWithEverythingItHas() {
        schedule(message("a").delay(HOUR).priority(8).header("kind", "new"));
        MessageInfo found = find("a");

        assertThat(found.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(found.due()).isEqualTo(Micros.instant(raw.scheduled(8).get("a")));
        assertThat(found.attempt()).isZero();
        assertThat(found.leaseDeadline()).isNull();
        assertThat(found.diedAt()).isNull();
        assertThat(found.priority()).isEqualTo(8);
        assertThat(found.headers()).isEqualTo(Map.of("kind", "new"));
        assertThat(found.payload()).asString().isEqualTo("body of a");
    }

    @Test
    void aDueMessageIsReady() {
        schedule(message("a"));

        assertThat(find("a").state()).isEqualTo(MessageState.READY);
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
        get(store.retry(PARTITION, nextTurn(), List.of(new Retry(claimOne().lease(), 1, HOUR, 4, "oh"))));

        assertThat(find("a").state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(find("a").attempt()).isEqualTo(1);
    }

    @Test
    void aDeadMessageHasItsTimeOfDeath() {
        bury(message("a"));
        MessageInfo found = find("a");

        assertThat(found.state()).isEqualTo(MessageState.DEAD);
        assertThat(found.diedAt()).isEqualTo(Micros.instant(raw.dead().get("a")));
        assertThat(found.attempt()).isEqualTo(1);
        assertThat(found.due()).isNull();
    }

    @Test
    void whatIsNotThereOrHasNoPlaceIsNotFound() {
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
