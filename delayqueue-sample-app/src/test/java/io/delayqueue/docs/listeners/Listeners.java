package io.delayqueue.docs.listeners;

import io.delayqueue.Delivery;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.annotation.DelayQueueListener;
import jakarta.validation.Valid;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.handler.annotation.Header;

/** Listeners that the README shows. */
class Listeners {

    private final MailServer mailServer;
    private final Coupons coupons;
    private final Payments payments;

    Listeners(MailServer mailServer, Coupons coupons, Payments payments) {
        this.mailServer = mailServer;
        this.coupons = coupons;
        this.payments = payments;
    }

    // tag::arguments[]
    @DelayQueueListener(topic = "reminder", maxAttempts = "60")
    void remind(
            @Valid Reminder reminder, // the payload, read as this type and validated
            DelayQueueMessage<Reminder> message, // the payload with id, attempt, due time and headers
            @Header(name = "tenant", required = false) @Nullable String tenant, // one header
            Delivery delivery) { // retryAfter(d), deadLetter(reason), extend(d), isLeaseLost()

        if (mailServer.isDown()) {
            delivery.retryAfter(Duration.ofMinutes(1)); // counts as an attempt: 60 of them last an hour
            return;
        }
        mailServer.send(tenant, reminder.text());
    }
    // end::arguments[]

    // tag::settings[]
    @DelayQueueListener(
            topic = "${app.topics.coupon}",
            concurrency = "#{@sizing.consumers()}",
            lease = "1m",
            timeout = "20s")
    @DelayQueueListener(topic = "coupon-legacy")
    CompletionStage<Void> expire(Coupon coupon) {
        return CompletableFuture.runAsync(() -> coupons.expire(coupon.code()));
    }
    // end::settings[]

    // tag::retries[]
    @DelayQueueListener(topic = "charge", retryFor = IOException.class, noRetryFor = CardRefusedException.class)
    void charge(Charge charge) throws IOException {
        payments.charge(charge.cents());
    }
    // end::retries[]

    record Coupon(String code) {}

    record Charge(long cents) {}

    static class CardRefusedException extends RuntimeException {}

    interface MailServer {

        boolean isDown();

        void send(@Nullable String tenant, String text);
    }

    interface Coupons {

        void expire(String code);
    }

    interface Payments {

        void charge(long cents) throws IOException;
    }
}
