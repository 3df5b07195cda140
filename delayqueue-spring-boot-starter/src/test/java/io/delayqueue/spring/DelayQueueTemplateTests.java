package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.OrderPlaced;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@ExtendWith(EmbeddedRedisExtension.class)
class DelayQueueTemplateTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void schedulesAfterADelayAndAtAnInstant() {
        with(template -> {
            Instant due = Instant.now().plusSeconds(7200);
            String delayed = template.schedule("orders", new OrderPlaced(1, "a"), HOUR);
            String timed = template.schedule("orders", "text", due);

            assertThat(find(template, delayed).due())
                    .isBetween(Instant.now().plusSeconds(3500), Instant.now().plusSeconds(3700));
            assertThat(find(template, delayed).payload())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("{\"number\":1,\"customer\":\"a\"}");
            assertThat(Duration.between(due, find(template, timed).due()).abs())
                    .isLessThanOrEqualTo(Duration.ofNanos(1000));
            assertThat(find(template, timed).payload())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("text");
        });
    }

    @Test
    void messageTakesEveryOption() {
        with(template -> {
            ScheduleResult result = template.message("orders", "first")
                    .id("o-1")
                    .delay(HOUR)
                    .priority(9)
                    .timeToLive(HOUR)
                    .maxAttempts(7)
                    .header("tenant", "acme")
                    .schedule();

            assertThat(result).isEqualTo(new ScheduleResult("o-1", ScheduleOutcome.SCHEDULED));
            assertThat(find(template, "o-1").priority()).isEqualTo(9);
            assertThat(find(template, "o-1").headers())
                    .containsEntry("tenant", "acme")
                    .hasSize(1);
            assertThat(template.message("orders", "second").id("o-1").schedule().outcome())
                    .isEqualTo(ScheduleOutcome.REJECTED_DUPLICATE);
            assertThat(template.message("orders", "third")
                            .id("o-1")
                            .dueAt(Instant.now().plusSeconds(60))
                            .ifExists(DuplicatePolicy.REPLACE)
                            .schedule()
                            .outcome())
                    .isEqualTo(ScheduleOutcome.REPLACED);
        });
    }

    @Test
    void schedulesManyAtOnce() {
        with(template -> {
            List<String> ids = template.scheduleAll("orders", List.of("a", "b", "c"), HOUR);
            OutgoingMessage built =
                    template.message("others", "d").id("d").delay(HOUR).build();

            assertThat(ids).hasSize(3).doesNotHaveDuplicates();
            assertThat(template.scheduleAll(List.of(built)))
                    .containsExactly(new ScheduleResult("d", ScheduleOutcome.SCHEDULED));
            assertThat(template.scheduleAllAsync(List.of(built)))
                    .as("the same call repeated is recognised")
                    .succeedsWithin(Duration.ofSeconds(25))
                    .isEqualTo(List.of(new ScheduleResult("d", ScheduleOutcome.SCHEDULED)));
            assertThat(find(template, ids.get(2)).payload())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("c");
        });
    }

    @Test
    void cancelsAndReschedules() {
        with(template -> {
            String id = template.schedule("orders", "a", HOUR);

            assertThat(template.reschedule("orders", id, HOUR.multipliedBy(3)))
                    .isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(find(template, id).due()).isAfter(Instant.now().plusSeconds(10_000));
            assertThat(template.reschedule("orders", id, Instant.now().plusSeconds(60)))
                    .isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(template.cancel("orders", id)).isEqualTo(CancelOutcome.CANCELLED);
            assertThat(template.cancel("orders", id)).isEqualTo(CancelOutcome.NOT_FOUND);
            assertThat(template.find("orders", id)).isEmpty();
        });
    }

    @Test
    void cancelsManyAtOnce() {
        with(template -> {
            List<String> ids = template.scheduleAll("orders", List.of("a", "b"), HOUR);

            assertThat(template.cancelAll("orders", List.of(ids.get(1), "unknown")))
                    .containsExactly(
                            entry(ids.get(1), CancelOutcome.CANCELLED), entry("unknown", CancelOutcome.NOT_FOUND));
            assertThat(template.cancelAllAsync("orders", ids))
                    .succeedsWithin(Duration.ofSeconds(25))
                    .isEqualTo(Map.of(ids.get(0), CancelOutcome.CANCELLED, ids.get(1), CancelOutcome.NOT_FOUND));
        });
    }

    @Test
    void asyncFormsAnswerTheSame() {
        with(template -> {
            Duration soon = Duration.ofSeconds(25);
            String id = template.scheduleAsync("orders", "a", HOUR).join();
            template.scheduleAsync("orders", "b", Instant.now().plusSeconds(60)).join();

            assertThat(template.message("orders", "c").id("c").scheduleAsync())
                    .succeedsWithin(soon)
                    .isEqualTo(new ScheduleResult("c", ScheduleOutcome.SCHEDULED));
            assertThat(template.findAsync("orders", id).join())
                    .hasValueSatisfying(message -> assertThat(message.state()).isEqualTo(MessageState.SCHEDULED));
            assertThat(template.rescheduleAsync("orders", id, HOUR))
                    .succeedsWithin(soon)
                    .isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(template.rescheduleAsync("orders", "nobody", Instant.now()))
                    .succeedsWithin(soon)
                    .isEqualTo(RescheduleOutcome.NOT_FOUND);
            assertThat(template.cancelAsync("orders", id)).succeedsWithin(soon).isEqualTo(CancelOutcome.CANCELLED);
        });
    }

    @Test
    @SuppressWarnings("NullAway") // misuse on purpose
    void invalidInputIsRefusedBeforeAnythingIsSent() {
        with(template -> {
            assertThatIllegalArgumentException().isThrownBy(() -> template.schedule(" ", "a", HOUR));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> template.schedule("orders", null, HOUR))
                    .withMessage("payload of a message to topic 'orders' must not be null");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> template.message("orders", "a").priority(10));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> template.schedule("orders", new byte[2_000_000], HOUR))
                    .withMessageContaining("1048576");
        });
        runner.run(context ->
                assertThat(context.getBean(DelayQueueClient.class).topics()).isEmpty());
    }

    @Test
    void headersOfAllContributorsAreAddedAndTheMessagesOwnTakePrecedence() {
        runner.withBean(HeaderContributor.class, () -> (topic, headers) -> {
                    headers.accept("origin", topic);
                    headers.accept("tenant", "default");
                })
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    template.message("orders", "a")
                            .id("a")
                            .delay(HOUR)
                            .header("tenant", "acme")
                            .schedule();

                    assertThat(find(template, "a").headers())
                            .containsEntry("origin", "orders")
                            .containsEntry("tenant", "acme")
                            .hasSize(2);
                });
    }

    private void with(Consumer<DelayQueueOperations> test) {
        runner.run(context -> test.accept(context.getBean(DelayQueueOperations.class)));
    }

    private static MessageInfo find(DelayQueueOperations template, String id) {
        return template.find("orders", id).orElseThrow();
    }
}
