package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls are sent after the commit of their transaction, and not after its rollback. */
class TransactionAwareTemplateTests extends TransactionAwareFixture {

    @Test
    void messagesAreSentAfterCommit() {
        with((template, scheduled) -> {
            List<String> ids = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                ids.add(template.schedule("orders", "a", HOUR));
                ids.addAll(template.scheduleAll("orders", List.of("b", "c"), HOUR));
                assertThat(scheduled.get()).isZero();
            });

            scheduled.await(3);
            assertThat(ids)
                    .hasSize(3)
                    .allSatisfy(id -> assertThat(template.find("orders", id)).isPresent());
        });
    }

    @Test
    void messagesAreDiscardedAfterARollback() {
        with((template, scheduled) -> {
            List<CompletableFuture<String>> futures = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                template.schedule("orders", "a", HOUR);
                futures.add(template.scheduleAsync("orders", "b", HOUR));
                status.setRollbackOnly();
            });

            assertThat(scheduled.get()).isZero();
            assertThat(futures.get(0)).isCompletedExceptionally();
        });
    }

    @Test
    void messagesOutsideATransactionAreSentAtOnce() {
        with((template, scheduled) -> {
            template.schedule("orders", "a", HOUR);
            assertThat(scheduled.get()).isOne();
        });
    }

    @Test
    void futuresCompleteAfterCommitWithTheRealOutcome() {
        with((template, scheduled) -> {
            template.message("orders", "a").id("taken").delay(HOUR).schedule();
            List<CompletableFuture<ScheduleResult>> futures = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                futures.add(
                        template.message("orders", "b").id("free").delay(HOUR).scheduleAsync());
                futures.add(
                        template.message("orders", "c").id("taken").delay(HOUR).scheduleAsync());
                assertThat(template.message("orders", "d")
                                .id("taken")
                                .delay(HOUR)
                                .schedule()
                                .outcome())
                        .as("not known yet")
                        .isEqualTo(ScheduleOutcome.SCHEDULED);
                assertThat(futures.get(0)).isNotDone();
            });

            assertThat(futures.get(0).orTimeout(20, TimeUnit.SECONDS).join().outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            assertThat(futures.get(1).orTimeout(20, TimeUnit.SECONDS).join().outcome())
                    .isEqualTo(ScheduleOutcome.REJECTED_DUPLICATE);
        });
    }

    @Test
    void suspendedTransactionsKeepTheirMessages() {
        TransactionTemplate inner = new TransactionTemplate(transaction.getTransactionManager());
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        with((template, scheduled) -> {
            transaction.executeWithoutResult(outerStatus -> {
                template.schedule("orders", "outer", HOUR);
                inner.executeWithoutResult(status -> template.schedule("orders", "inner", HOUR));
                scheduled.await(1);
                outerStatus.setRollbackOnly();
            });
            scheduled.await(1);
        });
    }

    @Test
    void messagesScheduledAfterCommitByOthersAreSentToo() {
        with((template, scheduled) -> {
            transaction.executeWithoutResult(status -> {
                template.schedule("orders", "a", HOUR);
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        template.schedule("orders", "b", HOUR);
                    }
                });
            });
            scheduled.await(2);
        });
    }

    @Test
    void cancelAndRescheduleAreSentAfterCommit() {
        with((template, scheduled) -> {
            String cancelled = template.schedule("orders", "a", HOUR);
            String moved = template.schedule("orders", "b", HOUR);
            List<CompletableFuture<?>> futures = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                assertThat(template.cancel("orders", cancelled)).isEqualTo(CancelOutcome.AFTER_COMMIT);
                assertThat(template.reschedule("orders", moved, Duration.ofHours(2)))
                        .isEqualTo(RescheduleOutcome.AFTER_COMMIT);
                futures.add(template.cancelAsync("orders", "unknown"));
                futures.add(template.rescheduleAsync("orders", moved, Duration.ofHours(3)));
                assertThat(template.find("orders", cancelled)).isPresent();
                assertThat(futures).noneMatch(CompletableFuture::isDone);
            });

            await().untilAsserted(
                            () -> assertThat(template.find("orders", cancelled)).isEmpty());
            assertThat(futures.get(0)).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(CancelOutcome.NOT_FOUND);
            assertThat(futures.get(1)).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(template.find("orders", moved).orElseThrow().due())
                    .as("the last one counts")
                    .isAfter(Instant.now().plus(Duration.ofMinutes(150)));
        });
    }

    @Test
    void cancelAllIsSentAfterCommit() {
        with((template, scheduled) -> {
            List<String> ids = template.scheduleAll("orders", List.of("a", "b", "c"), HOUR);
            List<CompletableFuture<Map<String, CancelOutcome>>> futures = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                assertThat(template.cancelAll("orders", ids.subList(0, 2)))
                        .containsExactly(
                                Map.entry(ids.get(0), CancelOutcome.AFTER_COMMIT),
                                Map.entry(ids.get(1), CancelOutcome.AFTER_COMMIT));
                futures.add(template.cancelAllAsync("orders", List.of(ids.get(2), "unknown")));
                assertThat(template.find("orders", ids.get(0))).isPresent();
            });

            assertThat(futures.get(0))
                    .succeedsWithin(Duration.ofSeconds(20))
                    .isEqualTo(Map.of(ids.get(2), CancelOutcome.CANCELLED, "unknown", CancelOutcome.NOT_FOUND));
            await().untilAsserted(() -> assertThat(ids)
                    .allSatisfy(id -> assertThat(template.find("orders", id)).isEmpty()));
        });
    }

    @Test
    void largeTransactionIsSentAsABulkWithAResultForEachMessage() {
        with((template, scheduled) -> {
            assertThat(template.message("orders", "x")
                            .id("order-7")
                            .delay(HOUR)
                            .schedule()
                            .outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            List<CompletableFuture<ScheduleResult>> futures = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                for (int i = 0; i < 2_000; i++) {
                    futures.add(template.message("orders", "x")
                            .id("order-" + i)
                            .delay(HOUR)
                            .scheduleAsync());
                }
                futures.add(template.message("orders", "y")
                        .id("order-3")
                        .delay(HOUR)
                        .scheduleAsync());
            });

            for (int i = 0; i < futures.size(); i++) {
                assertThat(futures.get(i).orTimeout(20, TimeUnit.SECONDS).join().outcome())
                        .isEqualTo(
                                i == 7 || i == 2_000 ? ScheduleOutcome.REJECTED_DUPLICATE : ScheduleOutcome.SCHEDULED);
            }
            scheduled.await(2_000);
        });
    }

    @Test
    void cancelAndRescheduleAreDiscardedAfterARollback() {
        with((template, scheduled) -> {
            String id = template.schedule("orders", "a", HOUR);
            List<CompletableFuture<?>> futures = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                template.cancel("orders", id);
                template.reschedule("orders", id, Duration.ZERO);
                futures.add(template.cancelAsync("orders", id));
                futures.add(template.rescheduleAsync("orders", id, Duration.ZERO));
                status.setRollbackOnly();
            });

            assertThat(futures).allMatch(CompletableFuture::isCancelled);
            assertThat(template.find("orders", id).orElseThrow().state()).isEqualTo(MessageState.SCHEDULED);
        });
    }

    @Test
    void builtMessagesAreSentAfterCommitToo() {
        with((template, scheduled) -> {
            OutgoingMessage message =
                    template.message("orders", "a").delay(HOUR).build();
            transaction.executeWithoutResult(status -> {
                assertThat(template.scheduleAll(List.of(message)))
                        .containsExactly(new ScheduleResult(message.id(), ScheduleOutcome.SCHEDULED));
                assertThat(scheduled.get()).isZero();
            });
            scheduled.await(1);
        });
    }
}
