package io.delayqueue.sample.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;

import io.delayqueue.CancelOutcome;
import io.delayqueue.sample.order.Order.State;
import io.delayqueue.spring.DelayQueueOperations;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/**
 * A test as an application writes it: the queue is a mock, so that no Redis is needed, and the database is the real one. A
 * test with a Redis is {@code OrdersTests}.
 */
@JdbcTest
@Import({Orders.class, OrderBook.class})
class MockedQueueTests {

    @MockitoBean
    DelayQueueOperations queue;

    @Autowired
    Orders orders;

    @Autowired
    OrderBook book;

    @Test
    void payingCancelsTheTimeoutAndSellsTheArticle() {
        place("ann");
        int sold = book.stock().sold();
        given(queue.cancel(Orders.TIMEOUT_TOPIC, "ann")).willReturn(CancelOutcome.CANCELLED);

        Optional<Payment> payment = orders.pay("ann");

        assertThat(payment).contains(new Payment.Accepted(book.find("ann").orElseThrow(), CancelOutcome.CANCELLED));
        assertThat(book.stock().sold()).isEqualTo(sold + 1);
    }

    @Test
    void closedOrderIsNotPaidAndNothingIsCancelled() {
        place("bob");
        int reserved = book.stock().reserved();
        assertThat(book.end("bob", State.CLOSED, Instant.now()).orElseThrow().won())
                .isTrue();

        assertThat(orders.pay("bob").orElseThrow()).isInstanceOf(Payment.TooLate.class);

        assertThat(book.stock().reserved()).isEqualTo(reserved - 1);
        then(queue).should(never()).cancel(any(), any());
    }

    private void place(String id) {
        Instant now = Instant.now();
        book.add(new Order(id, id + "@example.com", BigDecimal.TEN, State.PLACED, now, now.plusSeconds(60), null));
    }
}
