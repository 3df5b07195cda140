package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.delayqueue.Delay;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.gateway.callback.Receiver.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages that are sent again, or earlier. */
class CallbackReplayTests extends RunningCallbacks {

    @Test
    void givenUpMessagesOfASpanAreSentAgain() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        receiver.answer(request -> Reply.of(500));
        instance.schedule(message("early"));
        Instant from = awaitDead("early").deadLetteredAt().plusNanos(1_000);
        instance.schedule(message("inside"));
        Instant to = awaitDead("inside").deadLetteredAt().plusNanos(1_000);
        instance.schedule(message("late"));
        awaitDead("late");
        receiver.answer(request -> Reply.of(200));

        CallbackReplay replay = new CallbackReplay(instance.client());
        assertThat(replay.replay("hooks", from, to)).isEqualTo(1);
        awaitAcked(1);
        assertThat(receiver.requests().get(3).header("webhook-id"))
                .isEqualTo(receiver.requests().get(1).header("webhook-id"));
        assertThat(stats().dead()).isEqualTo(2);
    }

    @Test
    void scheduledAndGivenUpMessagesAreSentNow() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        receiver.answer(request -> Reply.of(500));
        instance.schedule(message("dead"));
        awaitDead("dead");
        receiver.answer(request -> Reply.of(200));
        instance.schedule(message("scheduled").delay(Duration.ofDays(1)));

        for (String id : List.of("dead", "scheduled")) {
            assertThat(instance.client().reschedule("hooks", id, Delay.of(Duration.ZERO)))
                    .isEqualTo(RescheduleOutcome.RESCHEDULED);
        }

        awaitAcked(2);
        assertThat(receiver.requests()).hasSize(3);
    }

    @Test
    void aSpanThatEndsBeforeItBeginsIsRefused() {
        instance();
        Instant now = Instant.now();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CallbackReplay(instance.client()).replay("hooks", now, now.minusNanos(1)))
                .withMessageContaining("before it begins");
    }
}
