package io.delayqueue.gateway.sqs.clients;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of what programs told finds each broken promise. Times are microseconds; the visibility timeout is 3 s. */
class ToldStepsTests {

    private static final List<String> SENT = List.of("sending 0 1000000", "sent 0");

    private final ToldSteps steps = new ToldSteps(Duration.ofSeconds(3));

    private void told(String... lines) {
        SENT.forEach(steps::told);
        List.of(lines).forEach(steps::told);
    }

    private void assertBroken(String words) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> steps.check(1, 1))
                .withMessageContaining(words);
    }

    @Test
    void handledMessageIsFine() {
        told("got 0 1000000 1000001 1", "deleting 0", "deleted 0 1000000 1500000");
        steps.check(1, 1);
    }

    @Test
    void messageMayBeDeliveredAgainAfterADeath() {
        told("got 0 1000000 1000001 1", "got 0 1100000 4000000 2", "deleting 0", "deleted 0 1100000 4000001");
        steps.check(1, 1);
    }

    @Test
    void deleteThatCameTooLateDeletesNothing() {
        told("got 0 1000000 1000001 1", "deleting 0", "deleted 0 1000000 4000000", "got 0 5000000 5000001 2");
        steps.check(1, 1);
    }

    @Test
    void lostMessageIsFound() {
        told("got 0 1000000 1000001 1");
        assertBroken("a program handled message 0");
    }

    @Test
    void earlyMessageIsFound() {
        told("got 0 900000 999999 1", "deleting 0");
        assertBroken("is due");
    }

    @Test
    void twoReceiversAtOnceAreFound() {
        told("got 0 1000000 1000001 1", "got 0 1100000 3999999 2", "deleting 0");
        assertBroken("in nobody's hand");
    }

    @Test
    void deletedMessageThatIsDeliveredAgainIsFound() {
        told("got 0 1000000 1000001 1", "deleting 0", "deleted 0 1000000 1500000", "got 0 5000000 5000001 2");
        assertBroken("was deleted");
    }

    @Test
    void countThatNobodyExplainsIsFound() {
        told("got 0 1000000 1000001 9", "deleting 0");
        assertBroken("receives of message 0");
    }

    @Test
    void receiveThatIsNotCountedIsFound() {
        told("got 0 1000000 1000001 1", "got 0 1100000 4000000 1", "deleting 0");
        assertBroken("receives of message 0");
    }

    @Test
    void moreReceivesThanTheirVisibilityTimeoutsAllowAreFound() {
        told("got 0 1000000 1000001 1", "got 0 1100000 6999999 3", "deleting 0");
        assertBroken("receives of message 0");
    }

    @Test
    void acceptedMessageThatNobodySentIsFound() {
        told("got 0 1000000 1000001 1", "deleting 0");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> steps.check(2, 1))
                .withMessageContaining("messages");
    }
}
