package io.delayqueue.sample.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** A transaction that fails at its end takes back what the listener wrote; the next delivery writes it once. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {"sample.demo=false", "delayqueue.command-timeout=20s"})
@Tag("slow")
class ListenerTransactionTests {

    @Autowired
    Orders orders;

    @Autowired
    OrderBook book;

    @Autowired
    FirstCommitFails failure;

    @Test
    void closedOrderReturnsItsArticleOnceThoughItsFirstCommitFailed() {
        orders.place("ann", "ann@example.com", BigDecimal.TEN, Duration.ofMillis(100));
        assertThat(book.stock().reserved()).isEqualTo(1);

        // the second attempt comes after 10 s
        await().atMost(Duration.ofSeconds(60)).until(() -> failure.commits.get() == 2);

        await().atMost(Duration.ofSeconds(60))
                .until(() -> orders.find("ann").orElseThrow().state() == Order.State.CLOSED);
        assertThat(book.stock()).isEqualTo(new OrderBook.Stock(0, 0));
    }

    @TestConfiguration
    static class FirstCommitFails {

        final AtomicInteger commits = new AtomicInteger();

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        void fail(OrderEvent.Closed closed) {
            if (commits.incrementAndGet() == 1) {
                throw new IllegalStateException("the database is away for a moment");
            }
        }
    }
}
