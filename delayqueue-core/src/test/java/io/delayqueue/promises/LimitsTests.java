package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicFullException;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input is refused with the limit and the value, before anything is sent. */
class LimitsTests {

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void payloadAboveTheLimitIsRefusedBeforeAnythingIsSent() {
        DelayQueueClient small = test.open(options -> options.maxPayload(100));
        OutgoingMessage fits = TestQueue.message().payload(new byte[100]).build();
        OutgoingMessage tooLarge =
                TestQueue.message().id("large").payload(new byte[101]).build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> small.schedule(tooLarge))
                .withMessageContainingAll("large", "orders", "101", "maxPayload");
        assertThatIllegalArgumentException().isThrownBy(() -> small.scheduleAll(List.of(fits, tooLarge)));
        assertThatIllegalArgumentException().isThrownBy(() -> small.scheduleAsync(tooLarge));

        assertThat(test.redis().dbsize()).isZero();
        small.schedule(fits);
        assertThat(small.stats(TestQueue.TOPIC).pending().ready()).isEqualTo(1);
    }

    @Test
    void aMessageThatTheCheckRefusesIsNotSent() {
        DelayQueueClient checked = test.open(options -> options.messageCheck(message -> {
            if (message.headers().containsKey("bad")) {
                throw new IllegalArgumentException("bad header");
            }
        }));
        OutgoingMessage good = TestQueue.message().build();
        OutgoingMessage bad = TestQueue.message().header("bad", "1").build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> checked.schedule(bad))
                .withMessage("bad header");
        assertThatIllegalArgumentException().isThrownBy(() -> checked.scheduleAll(List.of(good, bad)));
        assertThatIllegalArgumentException().isThrownBy(() -> checked.scheduleAsync(bad));
        assertThatIllegalArgumentException().isThrownBy(() -> checked.scheduleAllAsync(List.of(good, bad)));

        assertThat(test.redis().dbsize()).isZero();
        checked.schedule(good);
        assertThat(checked.stats(TestQueue.TOPIC).pending().ready()).isEqualTo(1);
    }

    @Test
    void largePayloadsComeBackByteForByte() throws Exception {
        byte[] large = new byte[1024 * 1024];
        new java.util.Random(1).nextBytes(large);
        for (int i = 0; i < 12; i++) {
            test.queue().schedule(TestQueue.message().id("m" + i).payload(large).build());
        }
        test.queue()
                .schedule(TestQueue.message().id("empty").payload(new byte[0]).build());
        Deliveries deliveries = new Deliveries(test);

        test.consume(TestQueue.options(), deliveries);

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(13);
        assertThat(deliveries.all())
                .allSatisfy(entry -> assertThat(entry.message().payload())
                        .isEqualTo(entry.id().equals("empty") ? new byte[0] : large));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "with blank", "brace{", "brace}", "new\nline", "nul\0"})
    void badTopicIsRefused(String topic) {
        assertThatIllegalArgumentException().isThrownBy(() -> OutgoingMessage.to(topic));
        assertThatIllegalArgumentException().isThrownBy(() -> test.queue().cancel(topic, "id"));
        assertThatIllegalArgumentException().isThrownBy(() -> test.queue().find(topic, "id"));
        assertThatIllegalArgumentException().isThrownBy(() -> test.queue().stats(topic));
        assertThatIllegalArgumentException().isThrownBy(() -> test.queue().pause(topic));
        assertThatIllegalArgumentException().isThrownBy(() -> test.queue().deadLetters(topic));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> test.queue().subscribe(topic, TestQueue.options().build(), (m, d) -> {}));
        assertThat(test.redis().dbsize()).isZero();
    }

    @Test
    void badIdIsRefused() {
        String tooLong = "ä".repeat(257);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TestQueue.message().id(""));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TestQueue.message().id(tooLong));
        assertThatIllegalArgumentException().isThrownBy(() -> test.queue().cancel(TestQueue.TOPIC, tooLong));
        test.schedule("ä".repeat(256));
        assertThat(test.queue().find(TestQueue.TOPIC, "ä".repeat(256))).isPresent();
    }

    @Test
    void badTimesAreRefusedAndNegativeDelaysMeanAtOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TestQueue.message().dueAt(Instant.parse("+10000-01-01T00:00:00Z")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TestQueue.message().delay(Duration.ofDays(365_001)));
        test.queue()
                .schedule(TestQueue.message()
                        .id("negative")
                        .delay(Duration.ofDays(-1))
                        .build());
        test.queue()
                .schedule(TestQueue.message()
                        .id("last")
                        .dueAt(Instant.parse("9999-12-31T23:59:59.999999Z"))
                        .build());

        assertThat(test.stats().pending().ready()).isEqualTo(1);
        assertThat(test.stats().pending().scheduled()).isEqualTo(1);
    }

    @Test
    void fullTopicRefusesMoreUntilSomethingIsDone() {
        DelayQueueClient limited = test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().maxPending(2).build()));
        limited.schedule(TestQueue.message().id("a").build());
        limited.schedule(TestQueue.message().id("b").delay(Duration.ofHours(1)).build());

        assertThatThrownBy(() -> limited.schedule(TestQueue.message().id("c").build()))
                .isInstanceOfSatisfying(TopicFullException.class, e -> {
                    assertThat(e.topic()).isEqualTo(TestQueue.TOPIC);
                    assertThat(e.id()).isEqualTo("c");
                })
                .hasMessageContainingAll("orders", "c", "maxPending", "2");

        limited.cancel(TestQueue.TOPIC, "b");
        limited.schedule(TestQueue.message().id("c").build());
        assertThat(test.stats().totals().accepted()).isEqualTo(3);
    }
}
