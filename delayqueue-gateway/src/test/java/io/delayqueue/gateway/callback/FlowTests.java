package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.callback.CallbackOutcome.MessageOutcome;
import io.delayqueue.gateway.callback.CallbackOutcome.TargetOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FlowTests {

    private static final Duration BREAK = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofSeconds(15);

    private long now = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();
    private double random;
    private int messages;

    private Flow flow = flow(Double.POSITIVE_INFINITY, 2);

    @Test
    void asManyCallsAsAllowedAreUnderWayAtOnce() {
        Admission.Granted first = granted();
        granted();

        refused();
        end(first, TargetOutcome.ANSWERS, null);
        granted();
        refused();
    }

    @Test
    void messagesBeyondTheParallelismComeBackAsFastAsCallsEnd() {
        flow = flow(Double.POSITIVE_INFINITY, 10);
        callsTake(Duration.ofSeconds(4));
        for (int i = 0; i < 10; i++) {
            granted();
        }

        assertThat(refused()).isEqualTo(Duration.ofMillis(400));
        for (int i = 2; i <= 150; i++) {
            assertThat(refused()).isEqualTo(Duration.ofMillis(400L * i));
        }
        assertThat(refused()).as("no estimate is right for longer").isEqualTo(Duration.ofSeconds(30));
        random = 1;
        assertThat(refused()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void eachMessageBeyondTheRateComesBackAtATimeOfItsOwnAndIsCalledThen() {
        flow = flow(10, 1_000);
        for (int i = 0; i < 10; i++) {
            granted();
        }
        List<String> waiting = new ArrayList<>();
        for (int i = 1; i <= 2_000; i++) {
            String message = "waiting" + i;
            assertThat(refused(message)).isEqualTo(Duration.ofMillis(100L * i));
            waiting.add(message);
        }

        for (String message : waiting) {
            pass(Duration.ofMillis(100));
            refused();
            end(granted(message), TargetOutcome.ANSWERS, null);
        }
    }

    @Test
    void messagesThatDoNotComeBackLeaveTheirCallsToOthers() {
        flow = flow(10, 1_000);
        for (int i = 0; i < 10; i++) {
            granted();
        }
        refused("cancelled");

        pass(Duration.ofMillis(100));
        refused();
        pass(Duration.ofMillis(501));
        granted();
    }

    @Test
    void aWaitForARateIsBounded() {
        flow = flow(10, 1_000);
        for (int i = 0; i < 6_010; i++) {
            flow.admit("m" + i);
        }
        assertThat(refused()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void asManyCallsASecondAsAllowedBegin() {
        flow = flow(10, 1_000);
        for (int i = 0; i < 10; i++) {
            granted();
        }

        assertThat(refused("first")).isEqualTo(Duration.ofMillis(100));
        pass(Duration.ofMillis(99));
        refused();
        pass(Duration.ofMillis(1));
        granted("first");
        refused();
        pass(Duration.ofHours(1));
        for (int i = 0; i < 10; i++) {
            granted();
        }
        refused();
    }

    @Test
    void aRateBelowOneASecondIsKept() {
        flow = flow(0.1, 1_000);
        granted();

        assertThat(refused("first")).isEqualTo(Duration.ofSeconds(10));
        assertThat(refused("second")).isEqualTo(Duration.ofSeconds(20));
        pass(Duration.ofSeconds(10));
        granted("first");
        refused();
    }

    @Test
    void aRefusedMessageUsesNothingUp() {
        flow = flow(10, 1);
        Admission.Granted first = granted();
        for (int i = 0; i < 100; i++) {
            refused("the same");
        }
        end(first, TargetOutcome.ANSWERS, null);

        for (int i = 0; i < 9; i++) {
            end(granted(), TargetOutcome.ANSWERS, null);
        }
        assertThat(refused("the same")).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void failuresInSuccessionStopTheCalls() {
        fail(2);
        end(granted(), TargetOutcome.ANSWERS, null);
        fail(2);
        end(granted(), TargetOutcome.FAILS, null);

        assertThat(refused()).isEqualTo(BREAK);
        pass(BREAK.minusMillis(1));
        assertThat(refused()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void oneCallIsTriedAfterTheBreakAndTheOthersFollowIfItSucceeds() {
        fail(3);
        pass(BREAK);

        Admission.Granted tried = granted();
        assertThat(refused()).isEqualTo(BREAK);
        end(tried, TargetOutcome.ANSWERS, null);
        granted();
        granted();
    }

    @Test
    void theBreakGrowsWhileTheTriedCallsFailAndIsShortAgainAfterwards() {
        fail(3);
        for (Duration expected : List.of(Duration.ofSeconds(10), LONGEST, LONGEST)) {
            pass(LONGEST);
            end(granted(), TargetOutcome.FAILS, null);
            assertThat(refused()).isEqualTo(expected);
        }
        pass(LONGEST);
        end(granted(), TargetOutcome.ANSWERS, null);

        fail(3);
        assertThat(refused()).isEqualTo(BREAK);
    }

    @Test
    void callsFromBeforeTheBreakNeitherEndNorProlongIt() {
        flow = flow(Double.POSITIVE_INFINITY, 10);
        List<Admission.Granted> early = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            early.add(granted());
        }
        for (int i = 0; i < 3; i++) {
            end(early.get(i), TargetOutcome.FAILS, null);
        }
        pass(Duration.ofSeconds(1));
        end(early.get(3), TargetOutcome.FAILS, null);
        end(early.get(4), TargetOutcome.ANSWERS, null);

        assertThat(refused()).isEqualTo(BREAK.minusSeconds(1));
        pass(BREAK);
        Admission.Granted tried = granted();
        end(early.get(5), TargetOutcome.ANSWERS, null);
        refused();
        end(tried, TargetOutcome.ANSWERS, null);
        granted();
    }

    @Test
    void aTargetThatAsksForFewerCallsIsLeftAlone() {
        Admission.Granted first = granted();
        Admission.Granted second = granted();
        end(first, TargetOutcome.THROTTLED, Duration.ofMinutes(1));
        end(second, TargetOutcome.THROTTLED, Duration.ofSeconds(1));

        assertThat(refused()).isEqualTo(Duration.ofMinutes(1));
        pass(Duration.ofMinutes(1));
        end(granted(), TargetOutcome.THROTTLED, null);
        assertThat(refused()).isEqualTo(BREAK);
        pass(BREAK);
        granted();
    }

    @Test
    void aTargetThatCantAnswerIsLeftAloneAndStoppedAfterSomeFailures() {
        for (int i = 0; i < 2; i++) {
            end(granted(), TargetOutcome.UNAVAILABLE, Duration.ofSeconds(1));
            assertThat(refused()).isEqualTo(Duration.ofSeconds(1));
            pass(Duration.ofSeconds(1));
        }
        assertThat(flow.state()).isEqualTo(TargetState.CALLED);
        end(granted(), TargetOutcome.UNAVAILABLE, Duration.ofSeconds(1));
        pass(Duration.ofSeconds(1));

        assertThat(flow.state()).isEqualTo(TargetState.STOPPED);
        assertThat(refused()).isEqualTo(BREAK.minusSeconds(1));
        pass(BREAK);
        end(granted(), TargetOutcome.UNAVAILABLE, Duration.ofMinutes(1));
        assertThat(refused()).as("the longer of both").isEqualTo(Duration.ofMinutes(1));
        pass(Duration.ofMinutes(1));
        end(granted(), TargetOutcome.ANSWERS, null);
        granted();
        granted();
    }

    @Test
    void aTargetThatAsksForFewerCallsAnswersSoItsFailuresAreForgotten() {
        fail(2);
        end(granted(), TargetOutcome.THROTTLED, Duration.ZERO);
        fail(2);

        assertThat(flow.state()).isEqualTo(TargetState.CALLED);
    }

    @Test
    void aUrlThatIsGoneStopsNoOther() {
        end(granted(), TargetOutcome.GONE, null);

        granted();
    }

    @Test
    void aPausedTargetIsNotCalledUntilItIsAllowedAgain() {
        flow.pause(true);

        pass(Duration.ofDays(100));
        assertThat(refused()).isEqualTo(Duration.ofMinutes(1));
        assertThat(flow.isPaused()).isTrue();
        flow.pause(false);
        granted();
        flow.pause(true);
        refused();
    }

    @Test
    void refusedMessagesDoNotComeBackAllAtOnce() {
        fail(3);
        random = 1;

        assertThat(refused()).isEqualTo(Duration.ofMillis(7_500));
    }

    private Flow flow(double perSecond, int parallelism) {
        return new Flow(new FlowLimits(perSecond, parallelism, 3, BREAK, LONGEST), () -> now, () -> random);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            end(granted(), TargetOutcome.FAILS, null);
        }
    }

    /** So that the mean is this. */
    private void callsTake(Duration duration) {
        for (int i = 0; i < 200; i++) {
            Admission.Granted call = granted();
            pass(duration);
            end(call, TargetOutcome.ANSWERS, null);
        }
    }

    private Admission.Granted granted() {
        return granted("new" + ++messages);
    }

    private Admission.Granted granted(String message) {
        Admission admission = flow.admit(message);
        assertThat(admission).isInstanceOf(Admission.Granted.class);
        return (Admission.Granted) admission;
    }

    private Duration refused() {
        return refused("new" + ++messages);
    }

    private Duration refused(String message) {
        Admission admission = flow.admit(message);
        assertThat(admission).isInstanceOf(Admission.Refused.class);
        return ((Admission.Refused) admission).delay();
    }

    private void end(Admission.Granted granted, TargetOutcome target, @Nullable Duration retryAfter) {
        flow.ended(granted, new CallbackOutcome(MessageOutcome.RETRY, target, retryAfter, "test"));
    }

    @Test
    void aTargetThatIsDownIsForgottenWhenNobodyCallsItForLong() {
        for (int i = 0; i < 100 && flow.state() != TargetState.STOPPED; i++) {
            end(granted(), TargetOutcome.FAILS, null);
        }
        assertThat(flow.state()).isEqualTo(TargetState.STOPPED);
        assertThat(flow.isForgotten()).isFalse();
        pass(Duration.ofMinutes(11));
        assertThat(flow.isIdle()).isFalse();
        assertThat(flow.isForgotten()).isTrue();

        Admission.Granted trial = granted();
        pass(Duration.ofMinutes(11));
        assertThat(flow.isForgotten()).as("a call is under way").isFalse();
        end(trial, TargetOutcome.THROTTLED, Duration.ofHours(1));
        pass(Duration.ofMinutes(11));
        assertThat(flow.isForgotten()).as("it asked for an hour").isFalse();
        pass(Duration.ofMinutes(50));
        assertThat(flow.isForgotten()).isTrue();
    }

    @Test
    void aTargetAnswersIfItsLastCallDid() {
        assertThat(flow.answers()).as("a new one").isFalse();
        for (TargetOutcome outcome : TargetOutcome.values()) {
            flow = flow(Double.POSITIVE_INFINITY, 2);
            end(granted(), TargetOutcome.ANSWERS, null);
            end(granted(), outcome, null);
            assertThat(flow.answers()).as("%s", outcome).isEqualTo(outcome != TargetOutcome.FAILS);
        }
    }
}
