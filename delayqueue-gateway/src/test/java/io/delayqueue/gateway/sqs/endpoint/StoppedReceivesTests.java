package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Receives that wait while the application stops. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class StoppedReceivesTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final int CLIENTS = 20;

    @Test
    void waitingReceivesHaveAnEmptyAnswerAtOnce(EmbeddedRedis redis) {
        List<CompletableFuture<OpenSqs.Reply>> waiting = new ArrayList<>();
        long stopped;
        try (OpenSqs sqs = OpenSqs.start(redis)) {
            sqs.create("orders");
            sqs.create("orders-dead");
            for (int i = 0; i < CLIENTS; i++) {
                waiting.add(sqs.jsonAsync("ReceiveMessage", OpenSqs.receiveBody("orders", 20, 600)));
                waiting.add(sqs.jsonAsync("ReceiveMessage", OpenSqs.receiveBody("orders-dead", 20, 600)));
            }
            SqsActions actions = sqs.gateway().context().getBean(SqsActions.class);
            await().atMost(WAIT).until(() -> actions.waiting() == 2 * CLIENTS);
            stopped = System.nanoTime();
        }

        assertThat(waiting).allSatisfy(answer -> {
            OpenSqs.Reply reply = answer.get(1, TimeUnit.MINUTES);
            assertThat(reply.status()).as("%s", reply).isEqualTo(200);
            assertThat(reply.json().path("Messages")).isEmpty();
        });
        assertThat(Duration.ofNanos(System.nanoTime() - stopped))
                .as("none waits for 20 s")
                .isLessThan(Duration.ofSeconds(15));
    }

    /** Clients that receive again and again, until it has stopped. */
    private final class Clients {

        private final Set<String> received = ConcurrentHashMap.newKeySet();
        private final Set<Integer> statuses = ConcurrentHashMap.newKeySet();
        private final List<CompletableFuture<Void>> ended = new CopyOnWriteArrayList<>();

        private void start(OpenSqs sqs) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            ended.add(end);
            receive(sqs, end);
        }

        private void receive(OpenSqs sqs, CompletableFuture<Void> end) {
            CompletableFuture<OpenSqs.Reply> answer;
            try {
                answer = sqs.jsonAsync("ReceiveMessage", OpenSqs.receiveBody("orders", 20, 600));
            } catch (IllegalArgumentException stopped) {
                // its port is none
                end.complete(null);
                return;
            }
            answer.whenComplete((reply, refused) -> {
                if (refused != null) {
                    end.complete(null);
                    return;
                }
                statuses.add(reply.status());
                try {
                    reply.json()
                            .path("Messages")
                            .forEach(message -> received.add(message.at("/Attributes/DelayQueueMessageId")
                                    .stringValue()));
                    receive(sqs, end);
                } catch (RuntimeException e) {
                    end.completeExceptionally(new AssertionError(reply.toString(), e));
                }
            });
        }
    }

    @Test
    void messagesThatComeWhileItStopsAreDeliveredOnceOrStay(EmbeddedRedis redis) throws Exception {
        RedisClient connections = RedisClient.create(redis.uri());
        ExecutorService sender = Executors.newSingleThreadExecutor();
        AtomicBoolean stopped = new AtomicBoolean();
        Clients clients = new Clients();
        Set<String> sent = ConcurrentHashMap.newKeySet();
        try (DelayQueueClient other = DelayQueueClient.create(
                connections, DelayQueueOptions.builder().commandTimeout(WAIT).build())) {
            Future<?> sending;
            try (OpenSqs sqs = OpenSqs.start(redis)) {
                sqs.create("orders");
                for (int i = 0; i < CLIENTS; i++) {
                    clients.start(sqs);
                }
                sending = sender.submit(() -> {
                    while (!stopped.get()) {
                        sent.add(other.schedule(OutgoingMessage.to("orders")
                                        .payload(new byte[] {'x'})
                                        .build())
                                .id());
                    }
                });
                await().atMost(WAIT).until(() -> clients.received.size() > CLIENTS);
            }
            stopped.set(true);
            sending.get(1, TimeUnit.MINUTES);
            CompletableFuture.allOf(clients.ended.toArray(CompletableFuture[]::new))
                    .get(1, TimeUnit.MINUTES);

            assertThat(clients.statuses).isSubsetOf(200, 503);
            Set<String> left = new HashSet<>();
            try (PullConsumer consumer = other.pullConsumer("orders", PullOptions.defaults())) {
                await().atMost(WAIT).until(() -> {
                    consumer.receive(500, Duration.ofSeconds(1)).forEach(message -> {
                        assertThat(message.message().attempt())
                                .as("what was claimed for nobody is no attempt")
                                .isEqualTo(1);
                        left.add(message.message().id());
                    });
                    return left.size() + clients.received.size() >= sent.size();
                });
            }
            assertThat(left).isNotEmpty().doesNotContainAnyElementsOf(clients.received);
            left.addAll(clients.received);
            assertThat(left).isEqualTo(sent);
        } finally {
            stopped.set(true);
            sender.shutdownNow();
            connections.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }
}
