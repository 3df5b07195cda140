package io.delayqueue.sample.console;

import io.delayqueue.CancelOutcome;
import io.delayqueue.sample.NotInReplay;
import io.delayqueue.sample.order.OrderEvent;
import io.delayqueue.sample.receipt.ReceiptEvent;
import io.delayqueue.spring.event.MessageDeadLetteredEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/** Logs one line for each event of the shop, after the commit where there is a transaction. */
@Component
@NotInReplay
class EventLog {

    private static final Logger log = LoggerFactory.getLogger("shop");

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    @TransactionalEventListener(fallbackExecution = true)
    void placed(OrderEvent.Placed event) {
        say(
                event,
                "placed",
                "%s, %s; to be paid by %s",
                event.order().customer(),
                event.order().amount(),
                clock(event.order().closesAt()));
    }

    @TransactionalEventListener(fallbackExecution = true)
    void paid(OrderEvent.Paid event) {
        if (event.timeout() == CancelOutcome.CANCELLED || event.timeout() == CancelOutcome.AFTER_COMMIT) {
            say(event, "paid", "its timeout is cancelled");
        } else if (event.timeout() == null) {
            say(event, "paid", "Redis is away; its timeout will find the order paid");
        } else {
            say(event, "paid", "its timeout is %s already, and will find the order paid", event.timeout());
        }
    }

    @TransactionalEventListener(fallbackExecution = true)
    void refused(OrderEvent.PaidTooLate event) {
        say(
                event,
                "refused",
                "paid too late, it was closed at %s",
                clock(event.order().endedAt()));
    }

    @TransactionalEventListener(fallbackExecution = true)
    void closed(OrderEvent.Closed event) {
        say(event, "closed", "not paid; %s after it was due", millis(event.lateness()));
    }

    @TransactionalEventListener(fallbackExecution = true)
    void ignored(OrderEvent.TimeoutIgnored event) {
        String found = event.order() == null
                ? "unknown (placed before a restart?)"
                : event.order().state().name();
        say(event, "ignored", "its timeout was delivered, but the order is %s", found);
    }

    @EventListener
    void receipt(ReceiptEvent.Sent event) {
        say("receipt", event.orderId(), "sent", "to %s, attempt %d".formatted(event.to(), event.attempt()));
    }

    @EventListener
    void receipt(ReceiptEvent.Failed event) {
        String more = "attempt %d of %d: %s".formatted(event.attempt(), event.maxAttempts(), event.reason());
        say("receipt", event.orderId(), "failed", more);
    }

    @EventListener
    void deadLetter(MessageDeadLetteredEvent event) {
        String more = "after %d attempts; see /actuator/delayqueue/%s".formatted(event.attempts(), event.topic());
        say("message", event.id(), "given up", more);
    }

    private static void say(OrderEvent event, String happened, String more, @Nullable Object... values) {
        say("order", event.orderId(), happened, more.formatted(values));
    }

    private static void say(String subject, String id, String happened, String more) {
        log.info(String.format(Locale.ROOT, "%-7s %-8s  %-8s  %s", subject, id, happened, more));
    }

    private static String clock(@Nullable Instant instant) {
        return instant == null ? "?" : CLOCK.format(instant);
    }

    private static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
    }
}
