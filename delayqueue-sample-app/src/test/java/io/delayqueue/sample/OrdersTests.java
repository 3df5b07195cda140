package io.delayqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.MessageState;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.sample.receipt.ReceiptEvent;
import io.delayqueue.spring.DelayQueueOperations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "sample.demo=false",
            "sample.payment-timeout=8s",
            "delayqueue.command-timeout=20s",
            "delayqueue.guard-interval=30s"
        })
class OrdersTests {

    private static final Duration SOON = Duration.ofSeconds(60);

    @LocalServerPort
    int port;

    @Autowired
    DelayQueueOperations queue;

    @Autowired
    ReceiptEvents receipts;

    RestTestClient shop;

    @BeforeEach
    void open() {
        shop = RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build();
    }

    @Test
    void unpaidOrderIsClosedOnTime() {
        OrderJson placed = place("ann@example.com");
        assertThat(placed.state()).isEqualTo("PLACED");
        assertThat(queue.find("order-timeout", placed.id())).isPresent();

        await().atMost(SOON).until(() -> order(placed.id()).state().equals("CLOSED"));

        // a guard interval later if the wake-up was lost
        assertThat(order(placed.id()).endedAt())
                .isBetween(placed.closesAt(), placed.closesAt().plusSeconds(15));
    }

    @Test
    void paidOrderStaysPaidAndItsTimeoutIsGone() {
        OrderJson other = place("bob@example.com");
        OrderJson placed = place("ann@example.com");

        PaidJson paid = pay(placed.id(), HttpStatus.OK, PaidJson.class);

        assertThat(paid.timeout()).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(queue.find("order-timeout", placed.id())).isEmpty();
        await().atMost(SOON).until(() -> order(other.id()).state().equals("CLOSED"));
        await().atMost(SOON).until(() -> Instant.now().isAfter(placed.closesAt().plusMillis(200)));
        assertThat(order(placed.id()).state()).isEqualTo("PAID");
    }

    @Test
    void payingTwiceIsHarmless() {
        String id = place("ann@example.com").id();
        pay(id, HttpStatus.OK, PaidJson.class);

        PaidJson again = pay(id, HttpStatus.OK, PaidJson.class);

        assertThat(again.order().state()).isEqualTo("PAID");
    }

    @Test
    void payingAClosedOrderIsAConflict() {
        String id = place("ann@example.com").id();
        assertThat(queue.reschedule("order-timeout", id, Duration.ZERO)).isEqualTo(RescheduleOutcome.RESCHEDULED);
        await().atMost(SOON).until(() -> order(id).state().equals("CLOSED"));

        ProblemJson problem = pay(id, HttpStatus.CONFLICT, ProblemJson.class);

        assertThat(problem.detail()).contains(id, "closed unpaid");
        assertThat(order(id).state()).isEqualTo("CLOSED");
    }

    @Test
    void unknownOrderIsNotFound() {
        pay("nonsense", HttpStatus.NOT_FOUND, ProblemJson.class);
        shop.get().uri("/orders/nonsense").exchange().expectStatus().isNotFound();
    }

    @Test
    void orderWithoutAmountIsRefused() {
        shop.post()
                .uri("/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"customer\": \"ann@example.com\"}")
                .exchange()
                .expectStatus()
                .isBadRequest();
    }

    @Test
    void receiptThatFailsTwiceIsSentAtTheThirdAttempt() {
        String id = place("cleo@flaky.example").id();
        pay(id, HttpStatus.OK, PaidJson.class);

        await().atMost(SOON).until(() -> receipts.of(id).size() == 3);
        assertThat(receipts.of(id))
                .containsExactly(
                        new ReceiptEvent.Failed(id, "mailbox busy: cleo@flaky.example", 1, 3),
                        new ReceiptEvent.Failed(id, "mailbox busy: cleo@flaky.example", 2, 3),
                        new ReceiptEvent.Sent(id, "cleo@flaky.example", 3));
        await().atMost(SOON).until(() -> queue.find("order-receipt", id).isEmpty());
    }

    @Test
    void receiptThatAlwaysFailsIsADeadLetterThatTheActuatorShows() {
        String id = place("dave@gone.example").id();
        pay(id, HttpStatus.OK, PaidJson.class);

        await().atMost(SOON)
                .until(() -> queue.find("order-receipt", id)
                        .filter(message -> message.state() == MessageState.DEAD)
                        .isPresent());

        assertThat(queue.find("order-receipt", id).orElseThrow().attempt()).isEqualTo(3);
        assertThat(get("/actuator/delayqueue/order-receipt")).contains(id, "no such mailbox");
        assertThat(get("/actuator/health")).contains("\"delayqueue\":{", "\"status\":\"UP\"");
    }

    @Test
    void invalidReceiptIsADeadLetterAtOnce() {
        String id = place("not an address").id();
        pay(id, HttpStatus.OK, PaidJson.class);

        await().atMost(SOON)
                .until(() -> queue.find("order-receipt", id)
                        .filter(message -> message.state() == MessageState.DEAD)
                        .isPresent());

        assertThat(queue.find("order-receipt", id).orElseThrow().attempt()).isEqualTo(1);
    }

    private OrderJson place(String customer) {
        OrderJson placed = shop.post()
                .uri("/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("customer", customer, "amount", 12.5))
                .exchange()
                .expectStatus()
                .isCreated()
                .expectBody(OrderJson.class)
                .returnResult()
                .getResponseBody();
        assertThat(placed).isNotNull();
        return placed;
    }

    private <T> T pay(String id, HttpStatus expected, Class<T> answer) {
        T body = shop.post()
                .uri("/orders/{id}/pay", id)
                .exchange()
                .expectStatus()
                .isEqualTo(expected)
                .expectBody(answer)
                .returnResult()
                .getResponseBody();
        assertThat(body).isNotNull();
        return body;
    }

    private OrderJson order(String id) {
        OrderJson order = shop.get()
                .uri("/orders/{id}", id)
                .exchange()
                .expectBody(OrderJson.class)
                .returnResult()
                .getResponseBody();
        assertThat(order).isNotNull();
        return order;
    }

    private String get(String uri) {
        return String.valueOf(shop.get()
                .uri(uri)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody());
    }

    @TestConfiguration
    static class ReceiptEvents {

        private final List<ReceiptEvent> all = new CopyOnWriteArrayList<>();

        @EventListener
        void on(ReceiptEvent event) {
            all.add(event);
        }

        List<ReceiptEvent> of(String order) {
            return all.stream().filter(event -> event.orderId().equals(order)).toList();
        }
    }

    record OrderJson(
            String id,
            String state,
            Instant closesAt,
            @Nullable Instant endedAt) {}

    record PaidJson(OrderJson order, CancelOutcome timeout) {}

    record ProblemJson(String detail) {}
}
