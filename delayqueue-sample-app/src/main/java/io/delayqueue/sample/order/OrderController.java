package io.delayqueue.sample.order;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueException;
import io.delayqueue.sample.SampleProperties;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The shop over HTTP. */
@RestController
@RequestMapping("/orders")
class OrderController {

    private final Orders orders;
    private final SampleProperties properties;

    OrderController(Orders orders, SampleProperties properties) {
        this.orders = orders;
        this.properties = properties;
    }

    @PostMapping
    ResponseEntity<Order> place(@Valid @RequestBody NewOrder request) {
        String id = UUID.randomUUID().toString().substring(0, 8);
        Order order = orders.place(id, request.customer(), request.amount(), properties.paymentTimeout());
        return ResponseEntity.created(URI.create("/orders/" + id)).body(order);
    }

    @PostMapping("/{id}/pay")
    PaidOrder pay(@PathVariable String id) {
        Payment payment = orders.pay(id).orElseThrow(() -> unknown(id));
        if (payment instanceof Payment.TooLate late) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT,
                    "order " + id + " was closed unpaid at " + late.order().endedAt());
        }
        @Nullable
        CancelOutcome timeout = payment instanceof Payment.Accepted paid ? paid.timeout() : CancelOutcome.NOT_FOUND;
        return new PaidOrder(payment.order(), timeout);
    }

    @GetMapping
    List<Order> all() {
        return orders.all();
    }

    @GetMapping("/{id}")
    Order one(@PathVariable String id) {
        return orders.find(id).orElseThrow(() -> unknown(id));
    }

    @ExceptionHandler
    ProblemDetail queueUnavailable(DelayQueueException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
    }

    private static ResponseStatusException unknown(String id) {
        return new ResponseStatusException(HttpStatus.NOT_FOUND, "no order " + id);
    }

    record NewOrder(
            @NotBlank String customer, @NotNull @Positive BigDecimal amount) {}

    /**
     * A paid order.
     *
     * @param timeout outcome of cancelling its timeout; {@code NOT_FOUND} if the order was paid before, null if Redis did not
     *     answer
     */
    record PaidOrder(Order order, @Nullable CancelOutcome timeout) {}
}
