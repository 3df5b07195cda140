package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Listeners that a program registers with ids, topics or settings that can't be, or that contradict others. */
class RefusedRegistrationsTests extends RegisteredListenersFixture {

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void contradictionIsWarnedOfWhenItAppearsAndNotAtEachRegistration(CapturedOutput output) {
        Logger logger = (Logger) LoggerFactory.getLogger(DelayQueueListenerEndpointRegistry.class);
        logger.setLevel(Level.WARN);
        ListenerSettings four = ListenerSettings.builder().maxAttempts(4).build();
        runner.run(context -> {
            registry(context).register(handler("one"), factory(context));
            registry(context).register(handler("two").withSettings(four), factory(context));
            for (int i = 0; i < 20; i++) {
                registry(context).register(handler("other-" + i, "other"), factory(context));
            }
        });
        logger.setLevel(null);

        assertThat(output).containsOnlyOnce("Two listeners of topic 'work' differ in maxAttempts (3, 4)");
    }

    @Test
    void idsAreUnique() {
        runner.run(context -> {
            registry(context).register(handler("mine"), factory(context));

            assertThatExceptionOfType(InvalidListenerException.class)
                    .isThrownBy(() -> registry(context).register(handler("mine"), factory(context)))
                    .withMessageStartingWith(
                            "listener 'mine' of topic 'work' (" + RegisteredListenersFixture.class.getName())
                    .withMessageContaining("'mine' is taken by " + RegisteredListenersFixture.class.getName())
                    .withMessageNotContaining("MessageHandler.handle");

            schedule(context, "w");
            assertThat(received.first()).as("the first one goes on").isEqualTo("w");
        });
    }

    @Test
    void settingsOutOfRangeAreRefusedByName() {
        ListenerSettings.Builder settings = ListenerSettings.builder();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.concurrency(0))
                .withMessage("concurrency must be 1 to 10,000, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.lease(Duration.ZERO))
                .withMessageStartingWith("lease must be");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.timeout(Duration.ofSeconds(-1)))
                .withMessageStartingWith("timeout must be");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.maxAttempts(0))
                .withMessageStartingWith("maxAttempts must be");
    }

    @Test
    void errorsNameTheHandlerAndTheSetting() {
        runner.withPropertyValues("delayqueue.claim-ahead=1s").run(context -> {
            ListenerSettings shortLease =
                    ListenerSettings.builder().lease(Duration.ofSeconds(1)).build();
            ListenerSettings shrinking = ListenerSettings.builder()
                    .backoff(BackoffSettings.doubling(Duration.ofMinutes(2), Duration.ofMinutes(1)))
                    .build();

            assertThatExceptionOfType(InvalidListenerException.class)
                    .isThrownBy(() ->
                            registry(context).register(handler("mine").withSettings(shortLease), factory(context)))
                    .withMessageStartingWith(
                            "listener 'mine' of topic 'work' (" + RegisteredListenersFixture.class.getName())
                    .withMessageContaining("), lease: must be at least twice delayqueue.claim-ahead")
                    .withMessageNotContaining("MessageHandler.handle")
                    .satisfies(failure -> assertThat(failure.listener()).startsWith("listener 'mine' of topic 'work'"));
            assertThatExceptionOfType(InvalidListenerException.class)
                    .isThrownBy(
                            () -> registry(context).register(handler("mine").withSettings(shrinking), factory(context)))
                    .withMessageContaining("), backoff: ");
        });
    }

    @Test
    void blankIdsAndInvalidTopicsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DelayQueueListenerEndpoint.forHandler(" ", "work", (message, delivery) -> {}))
                .withMessageContaining("id");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DelayQueueListenerEndpoint.forHandler("mine", "{}", (message, delivery) -> {}))
                .withMessageContaining("{}");
    }
}
