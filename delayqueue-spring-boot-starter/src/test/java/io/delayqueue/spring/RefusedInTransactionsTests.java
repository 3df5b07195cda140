package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsCustomizer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A call that can't be sent is refused inside its transaction, where the caller sees it. */
class RefusedInTransactionsTests extends TransactionAwareFixture {

    @Test
    void invalidIdsAreRefusedInsideTheTransaction() {
        with((template, scheduled) -> transaction.executeWithoutResult(status -> {
            assertThatIllegalArgumentException().isThrownBy(() -> template.cancel("orders", "x".repeat(600)));
            assertThatIllegalArgumentException().isThrownBy(() -> template.cancel("{}", "x"));
            assertThatIllegalArgumentException().isThrownBy(() -> template.reschedule("orders", "x".repeat(600), HOUR));
        }));
    }

    @Test
    void payloadThatIsTooLargeIsRefusedBeforeTheCommit() {
        with((template, scheduled) -> transaction.executeWithoutResult(status -> assertThatIllegalArgumentException()
                .isThrownBy(() -> template.schedule("orders", new byte[2_000_000], HOUR))
                .withMessageContaining("2000000 bytes, more than maxPayload (1048576)")));
    }

    @Test
    void headersThatAreTooLargeAreRefusedBeforeTheCommit() {
        with((template, scheduled) -> transaction.executeWithoutResult(status -> {
            MessageSpec message = template.message("orders", "a").header("h", "x".repeat(64 * 1024));
            assertThatIllegalArgumentException()
                    .isThrownBy(message::schedule)
                    .withMessageContaining("65537 characters, more than 65536");
            assertThatIllegalArgumentException().isThrownBy(message::scheduleAsync);
            assertThatIllegalArgumentException().isThrownBy(message::build);
        }));
    }

    @Test
    void messageThatTheCheckRefusesIsRefusedInTheTransactionAndNotAfterIt() {
        List<String> checkedIn = new CopyOnWriteArrayList<>();
        runner = runner.withBean(
                DelayQueueOptionsCustomizer.class,
                () -> options -> options.messageCheck(message -> {
                    checkedIn.add(
                            TransactionSynchronizationManager.isActualTransactionActive()
                                    ? "transaction"
                                    : "no transaction");
                    if (message.headers().containsKey("bad")) {
                        throw new IllegalArgumentException("bad header");
                    }
                }));
        with((template, scheduled) -> {
            OutgoingMessage good = template.message("orders", "a").delay(HOUR).build();
            OutgoingMessage bad = template.message("orders", "b")
                    .header("bad", "1")
                    .delay(HOUR)
                    .build();
            transaction.executeWithoutResult(status -> {
                List<Runnable> calls = List.of(
                        () -> template.schedule(bad),
                        () -> template.scheduleAsync(bad),
                        () -> template.scheduleAll(List.of(good, bad)),
                        () -> template.scheduleAllAsync(List.of(good, bad)),
                        template.message("orders", "c").header("bad", "1")::schedule);
                assertThat(calls)
                        .allSatisfy(call -> assertThatIllegalArgumentException()
                                .isThrownBy(call::run)
                                .withMessage("bad header"));
                assertThat(checkedIn).hasSize(7).containsOnly("transaction");
                template.message("orders", "kept").delay(HOUR).schedule();
            });

            scheduled.await(1);
        });
    }
}
