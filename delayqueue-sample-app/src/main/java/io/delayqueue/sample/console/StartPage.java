package io.delayqueue.sample.console;

import io.delayqueue.sample.NotInReplay;
import io.delayqueue.sample.SampleProperties;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Prints requests and addresses to try. */
@Component
@NotInReplay
class StartPage {

    private final Environment environment;
    private final SampleProperties properties;

    StartPage(Environment environment, SampleProperties properties) {
        this.environment = environment;
        this.properties = properties;
    }

    @EventListener(ApplicationReadyEvent.class)
    @Order(1)
    void print() {
        String url = "http://localhost:" + environment.getProperty("local.server.port");
        System.out.print("""

                The shop is open. An order that is not paid within %ds is closed. Try:

                  curl -s -X POST %2$s/orders -H 'Content-Type: application/json' \\
                       -d '{"customer": "you@example.com", "amount": 19.90}'
                  curl -s -X POST %2$s/orders/THE-ID/pay
                  curl -s %2$s/orders

                Customers at flaky.example get their receipt at the third try, those at gone.example never.
                Open in a browser:

                  %2$s/orders                                      all orders
                  %2$s/delayqueue                                  the queue's page; user demo, password demo
                  %2$s/actuator/prometheus                         its meters, for Prometheus
                  %2$s/actuator/health                             health of the queue
                  %2$s/actuator/delayqueue                         topics and their counts
                  %2$s/actuator/delayqueue/order-receipt           one topic, with its dead letters
                  %2$s/actuator/metrics/delayqueue.delivery.lag    lateness of deliveries

                """.formatted(properties.paymentTimeout().toSeconds(), url));
        if (environment.matchesProfiles("journal")) {
            System.out.print("""
                    With the journal:

                      curl -s -X POST '%1$s/journal/orders?customer=eve@example.com&amount=5&rollBack=true'
                      curl -s -X POST %1$s/journal/wipe-redis
                      curl -s %1$s/actuator/delayqueuejournal
                      curl -s %1$s/actuator/delayqueuejournal/order-timeout/THE-ID

                    """.formatted(url));
        }
        System.out.println("Stop with Ctrl-C.\n");
    }
}
