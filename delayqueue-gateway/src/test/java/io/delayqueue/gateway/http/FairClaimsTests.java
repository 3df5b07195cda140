package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Clients of the API and listeners of one topic share its messages. */
@ExtendWith(EmbeddedRedisExtension.class)
class FairClaimsTests {

    private static final int MESSAGES = 200;
    private static final int CLIENTS = 4;

    @Test
    void messagesThatTrickleInAreShared(EmbeddedRedis redis) throws Exception {
        AtomicInteger byListener = new AtomicInteger();
        AtomicInteger byClients = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        try (Gateway gateway = Gateway.start(redis)) {
            Subscription listener = gateway.client()
                    .subscribe(
                            "orders",
                            ConsumerOptions.builder().concurrency(CLIENTS).build(),
                            (message, delivery) -> byListener.incrementAndGet());
            listener.start();
            for (int i = 0; i < CLIENTS; i++) {
                claimAgainAndAgain(gateway, "orders", byClients, over);
            }
            List<OutgoingMessage> messages = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                messages.add(OutgoingMessage.to("orders")
                        .payload(new byte[1])
                        .delay(Duration.ofMillis(1_000 + 10L * i))
                        .build());
            }
            assertThat(gateway.client().scheduleAll(messages)).hasSize(MESSAGES);
            await().atMost(Duration.ofSeconds(60)).until(() -> byListener.get() + byClients.get() == MESSAGES);
            over.set(true);

            assertThat(byListener.get()).as("by the listener").isGreaterThan(MESSAGES / 8);
            // not a share as the listener's: on a loaded machine the clients' calls take long
            assertThat(byClients.get()).as("by clients").isGreaterThan(2 * CLIENTS);
        }
    }

    /** Both sides are idle whenever one comes. */
    @Test
    void messagesThatComeAloneAreShared(EmbeddedRedis redis) throws Exception {
        AtomicInteger byListener = new AtomicInteger();
        AtomicInteger byClients = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        try (Gateway gateway = Gateway.start(redis)) {
            Subscription listener = gateway.client()
                    .subscribe(
                            "alone",
                            ConsumerOptions.builder().concurrency(CLIENTS).build(),
                            (message, delivery) -> byListener.incrementAndGet());
            listener.start();
            for (int i = 0; i < CLIENTS; i++) {
                claimAgainAndAgain(gateway, "alone", byClients, over);
            }
            PullConsumers consumers = gateway.context().getBean(PullConsumers.class);
            int messages = 100;
            for (int i = 1; i <= messages; i++) {
                await().pollInterval(Duration.ofMillis(5))
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> consumers.callsUnderWay("alone") == CLIENTS);
                assertThat(gateway.client()
                                .schedule(OutgoingMessage.to("alone")
                                        .payload(new byte[1])
                                        .build())
                                .id())
                        .isNotEmpty();
                int count = i;
                await().pollInterval(Duration.ofMillis(5))
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> byListener.get() + byClients.get() == count);
            }
            over.set(true);

            assertThat(byListener.get()).as("by the listener").isGreaterThan(messages / 8);
            assertThat(byClients.get()).as("by clients").isGreaterThan(messages / 8);
        }
    }

    private static void claimAgainAndAgain(Gateway gateway, String topic, AtomicInteger claimed, AtomicBoolean over) {
        gateway.sendAsync("POST", "/topics/" + topic + "/claims", "{\"wait\": 20}")
                .thenAccept(reply -> {
                    for (JsonNode message : reply.json().get("messages")) {
                        claimed.incrementAndGet();
                        gateway.sendAsync(
                                "DELETE", "/claims/" + message.get("receipt").stringValue(), "");
                    }
                    if (!over.get()) {
                        claimAgainAndAgain(gateway, topic, claimed, over);
                    }
                });
    }
}
