package io.delayqueue.gateway.sqs.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** While Redis is silent, requests wait for their queues without a thread of the container, however many there are. */
class QueueLookupsTests {

    private static final int CONTAINER_THREADS = 4;
    private static final int QUEUES = 30;
    private static final int ACTIONS = 10;
    private static final Duration WAIT = Duration.ofSeconds(120);

    /** Sends and receives of queues that are looked up, several of each, and actions on queues. */
    private static List<CompletableFuture<Reply>> request(OpenSqs sqs) {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < QUEUES; i++) {
            String url = "'QueueUrl':'" + OpenSqs.url("q" + i) + "'";
            replies.add(sqs.jsonAsync("SendMessage", "{" + url + ",'MessageBody':'x'}"));
            replies.add(sqs.jsonAsync("ReceiveMessage", "{" + url + "}"));
        }
        for (int i = 0; i < ACTIONS; i++) {
            replies.add(sqs.jsonAsync("ListQueues", "{}"));
        }
        return replies;
    }

    @Test
    @Tag("slow")
    void requestsThatWaitForTheirQueuesHoldNoThreadOfTheContainer() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                OpenSqs sqs = OpenSqs.start(
                        redis,
                        "server.tomcat.threads.max=" + CONTAINER_THREADS,
                        "server.tomcat.threads.min-spare=" + CONTAINER_THREADS,
                        // none of them ends by itself while the test looks
                        "delayqueue.command-timeout=10m")) {
            QueueLookups lookups = sqs.gateway().context().getBean(QueueLookups.class);
            for (int i = 0; i < QUEUES; i++) {
                sqs.create("q" + i);
            }
            // what was read when they were created counts no more
            await().atMost(WAIT).until(() -> isForgotten(sqs));

            redis.pause();
            List<CompletableFuture<Reply>> replies;
            try {
                replies = request(sqs);
                await().atMost(WAIT).until(() -> lookups.underWay() == QUEUES);
                for (int i = 0; i < 3 * CONTAINER_THREADS; i++) {
                    assertThat(sqs.gateway()
                                    .sendAsync("GET", "/openapi.json", "")
                                    .get(WAIT.toSeconds(), TimeUnit.SECONDS)
                                    .status())
                            .isEqualTo(200);
                }
                assertThat(replies).as("all wait").noneMatch(CompletableFuture::isDone);
            } finally {
                redis.resume();
            }
            for (CompletableFuture<Reply> reply : replies) {
                Reply answer = reply.get(WAIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(answer.status()).as("%s", answer).isEqualTo(200);
            }
            assertThat(lookups.underWay()).isZero();
        }
    }

    private static boolean isForgotten(OpenSqs sqs) {
        Queues queues = sqs.gateway().context().getBean(Queues.class);
        for (int i = 0; i < QUEUES; i++) {
            if (queues.isAtHand("q" + i)) {
                return false;
            }
        }
        return true;
    }

    /** Sends may go on where a journal takes them: so does a send to a queue that was read before. */
    @Test
    void formerSettingsCountWhileRedisIsSilent() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                OpenSqs sqs = OpenSqs.start(redis)) {
            sqs.create("orders");
            Queues queues = sqs.gateway().context().getBean(Queues.class);
            // the names of all topics are not read
            queues.getWhole("orders");
            try (QueueLookups lookups = new QueueLookups(queues, Duration.ofSeconds(2))) {
                await().atMost(WAIT).until(() -> !queues.isAtHand("orders"));
                redis.pause();
                try {
                    CompletableFuture<Queue> found = lookups.find(Caller.EVERYONE, "orders");
                    CompletableFuture<String> thread = found.handle(
                            (queue, failure) -> Thread.currentThread().getName());
                    assertThat(found.get(WAIT.toSeconds(), TimeUnit.SECONDS).name())
                            .isEqualTo("orders");
                    assertThat(thread.get(WAIT.toSeconds(), TimeUnit.SECONDS))
                            .as("not the JDK's timer")
                            .startsWith("delayqueue-sqs-former-");
                    assertThat(lookups.find(Caller.EVERYONE, "unknown"))
                            .failsWithin(WAIT)
                            .withThrowableThat()
                            .withMessageContaining("The queue can't be reached now");
                } finally {
                    redis.resume();
                }
            }
        }
    }

    /** Nobody knows whether they exist: an error that says they don't would have clients create them, or give up. */
    @Test
    void queuesOfUnknownTopicsAreUnavailableUntilRedisAnswers() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                OpenSqs sqs = OpenSqs.start(redis)) {
            sqs.client()
                    .scheduleAsync(
                            OutgoingMessage.to("orders").payload(new byte[1]).build())
                    .join();
            Queues queues = sqs.gateway().context().getBean(Queues.class);
            List<String> names = List.of("orders", "orders-dead", "none", "none-dead");
            // that they have no settings is known, but not the names of topics
            names.forEach(queues::isCreated);
            try (QueueLookups lookups = new QueueLookups(queues, Duration.ofSeconds(2))) {
                redis.pause();
                try {
                    for (String name : names) {
                        assertThat(lookups.find(Caller.EVERYONE, name))
                                .as(name)
                                .failsWithin(WAIT)
                                .withThrowableThat()
                                .withMessageContaining("The queue can't be reached now");
                    }
                } finally {
                    redis.resume();
                }
            }
            try (QueueLookups lookups = new QueueLookups(queues, WAIT)) {
                assertThat(lookups.find(Caller.EVERYONE, "orders-dead"))
                        .succeedsWithin(WAIT)
                        .matches(Queue::dead);
                assertThat(lookups.find(Caller.EVERYONE, "none-dead"))
                        .failsWithin(WAIT)
                        .withThrowableThat()
                        .withMessageContaining("does not exist");
            }
        }
    }
}
