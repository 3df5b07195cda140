package io.delayqueue.gateway.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import tools.jackson.databind.JsonNode;

/** Leases are renewed, and messages released, by threads that an application can't keep busy. */
@ExtendWith(EmbeddedRedisExtension.class)
class AnswerThreadsTests {

    private static final String NAME = "delayqueue-gateway-answers-";
    private static final Duration WAIT = Duration.ofSeconds(60);

    /** A client that takes nothing. */
    private static final class FullConnection extends ServletOutputStream {

        private @Nullable WriteListener listener;

        @Override
        public boolean isReady() {
            return false;
        }

        @Override
        public void setWriteListener(WriteListener writing) {
            listener = writing;
        }

        @Override
        public void write(int b) {}
    }

    /** Tells the threads that call it. */
    private static class CalledMessages implements AnsweredMessages {

        private final CompletableFuture<String> renewed = new CompletableFuture<>();
        private final CompletableFuture<String> released = new CompletableFuture<>();

        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public void renew() {
            renewed.complete(Thread.currentThread().getName());
        }

        @Override
        public void beginLease() {}

        @Override
        public void confirm() {}

        @Override
        public void release() {
            released.complete(Thread.currentThread().getName());
        }
    }

    private final FullConnection connection = new FullConnection();
    private final CalledMessages messages = new CalledMessages();
    private final AnswerThreads threads = new AnswerThreads(10);

    @AfterEach
    void endThreads() {
        threads.close();
    }

    private void begin(AnswerTimes times) throws IOException {
        begin(connection, messages, times);
    }

    private static void begin(FullConnection connection, AnsweredMessages messages, AnswerTimes times)
            throws IOException {
        MockHttpServletResponse response = new MockHttpServletResponse() {
            @Override
            public ServletOutputStream getOutputStream() {
                return connection;
            }
        };
        AnswerWriting.begin(
                new MockAsyncContext(new MockHttpServletRequest(), response), new byte[1], messages, false, times);
    }

    @Test
    void answerThatIsNotTakenIsRenewedByThem() throws Exception {
        begin(new AnswerTimes(Duration.ofMinutes(10), Duration.ofMillis(20), threads));
        try {
            assertThat(messages.renewed.get(WAIT.toSeconds(), TimeUnit.SECONDS)).startsWith(NAME);
        } finally {
            connection.listener.onError(new IOException("closed"));
        }
    }

    @Test
    void messagesOfAnAnswerThatIsNotTakenInTimeAreReleasedByThem() throws Exception {
        begin(new AnswerTimes(Duration.ofMillis(20), Duration.ofMinutes(10), threads));
        assertThat(messages.released.get(WAIT.toSeconds(), TimeUnit.SECONDS)).startsWith(NAME);
    }

    @Test
    void messagesWhoseAnswerFindsNoThreadAreReleasedByThem(EmbeddedRedis redis) throws Exception {
        RedisClient connections = RedisClient.create(redis.uri());
        try (DelayQueueClient client = DelayQueueClient.create(
                connections, DelayQueueOptions.builder().commandTimeout(WAIT).build())) {
            PullOptions options =
                    PullOptions.builder().lease(Duration.ofSeconds(2)).build();
            PullConsumers consumers = new PullConsumers(client, options, WAIT, threads);
            consumers.start();
            try {
                client.schedule(
                        OutgoingMessage.to("orders").payload(new byte[] {'1'}).build());
                List<PulledMessage> claimed =
                        consumers.receive("orders", 1, WAIT).get(2 * WAIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(claimed).hasSize(1);
                CompletableFuture<String> released = new CompletableFuture<>();
                new ClaimDelivery(
                                consumers,
                                claimed,
                                WAIT,
                                () -> released.complete(Thread.currentThread().getName()))
                        .releaseUnlessBegun();
                assertThat(released.get(WAIT.toSeconds(), TimeUnit.SECONDS)).startsWith(NAME);
            } finally {
                consumers.destroy();
            }
        } finally {
            connections.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    /** As many as have room, each renewed again and again. An answer that ends leaves no task behind. */
    @Test
    void twoThreadsRenewTheMessagesOfManyAnswers() throws Exception {
        int answers = 2_000;
        AnswerTimes times = new AnswerTimes(Duration.ofMinutes(10), Duration.ofMillis(200), threads);
        List<FullConnection> connections = new ArrayList<>();
        List<AtomicInteger> renewals = new ArrayList<>();
        Set<String> names = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < answers; i++) {
            FullConnection of = new FullConnection();
            AtomicInteger renewed = new AtomicInteger();
            begin(
                    of,
                    new CalledMessages() {
                        @Override
                        public void renew() {
                            names.add(Thread.currentThread().getName());
                            renewed.incrementAndGet();
                        }
                    },
                    times);
            connections.add(of);
            renewals.add(renewed);
        }

        await().atMost(WAIT).until(() -> renewals.stream().allMatch(renewed -> renewed.get() >= 3));
        assertThat(names).hasSizeBetween(1, 2).allMatch(name -> name.startsWith(NAME));
        assertThat(threads.pending()).isLessThanOrEqualTo(answers);
        connections.forEach(of -> of.listener.onError(new IOException("closed")));
        // one that is renewed at this moment sees its end after that
        await().atMost(WAIT).until(() -> threads.pending() == 0);
    }

    /** Nothing is renewed or released, and the container ends a connection that takes nothing. */
    @Test
    void answersWithoutMessagesHaveNoTask() throws Exception {
        begin(connection, AnsweredMessages.none(), AnswerTimes.of(WAIT, WAIT, threads));
        assertThat(threads.pending()).isZero();
    }

    @Test
    void answersAboveTheirMaximumAreRefusedAndCountNoAttempt(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(redis)) {
            AnswerThreads shared = sqs.gateway().context().getBean(AnswerThreads.class);
            makeDeadLetter(sqs);
            assertThat(sqs.send("room", "x").status()).isEqualTo(200);
            await().atMost(WAIT).until(() -> shared.inHand() == 0);
            for (int i = 0; i < AnswerThreads.MAX_ANSWERS; i++) {
                assertThat(shared.tryBegin()).isTrue();
            }

            Gateway.Reply claim = claim(sqs, "{\"wait\": 30}");
            assertThat(claim.status()).as("%s", claim).isEqualTo(503);
            assertThat(claim.json().get("type").stringValue()).endsWith("overloaded");
            assertThat(sqs.receive("room", 20).error()).isEqualTo("ServiceUnavailable");
            assertThat(sqs.receive("room-dead", 20).error()).isEqualTo("ServiceUnavailable");
            Gateway.Reply empty = sqs.gateway().send("POST", "/topics/none/claims", "{}");
            assertThat(empty.status()).as("one without messages needs no room").isEqualTo(200);

            for (int i = 0; i < AnswerThreads.MAX_ANSWERS; i++) {
                shared.end();
            }
            JsonNode message = claim(sqs, "{\"wait\": 30}").json().at("/messages/0");
            assertThat(message.path("attempt").intValue()).as("%s", message).isEqualTo(1);
            assertThat(sqs.receive("room-dead", 20).json().path("Messages")).hasSize(1);
        }
    }

    /** Each gives its room back, whether or not its client took it. */
    @Test
    void answersThatHaveEndedCountNoLonger(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(redis)) {
            AnswerThreads shared = sqs.gateway().context().getBean(AnswerThreads.class);
            makeDeadLetter(sqs);
            for (int i = 0; i < 10; i++) {
                sqs.send("room", "x");
                sqs.send("room", "y");
                assertThat(claim(sqs, "{\"wait\": 10}").json().at("/messages")).hasSize(1);
                assertThat(sqs.receive("room", 10).json().path("Messages")).hasSize(1);
                sqs.receive("room-dead", 0);
                sqs.gateway().send("POST", "/topics/none/claims", "{}");
            }

            await().atMost(WAIT).until(() -> shared.inHand() == 0 && shared.pending() == 0);
        }
    }

    /** The caller goes on, and the task is not lost. */
    @Test
    void machineWithoutThreadsDelaysTasksOnly() throws Exception {
        AtomicBoolean exhausted = new AtomicBoolean(true);
        ThreadFactory machine = task -> new Thread(task) {
            @Override
            public void start() {
                if (exhausted.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
        try (AnswerThreads starved = new AnswerThreads(1, machine)) {
            assertThatCode(() -> starved.after(0, messages::release)).doesNotThrowAnyException();
            AtomicBoolean cancelled = new AtomicBoolean(true);
            starved.after(0, () -> cancelled.set(false)).run();
            assertThat(messages.released).isNotDone();

            exhausted.set(false);
            CompletableFuture<Void> last = new CompletableFuture<>();
            starved.after(0, () -> last.complete(null));
            assertThat(messages.released.get(WAIT.toSeconds(), TimeUnit.SECONDS))
                    .startsWith(NAME);
            last.get(WAIT.toSeconds(), TimeUnit.SECONDS);
            await().atMost(WAIT).until(() -> starved.pending() == 0);
            assertThat(cancelled).isTrue();
        }
    }

    /** Those of another application in the same process go on. */
    @Test
    void theyEndWithTheirApplication(EmbeddedRedis redis) {
        AnswerThreads others = threads;
        AnswerThreads ended;
        try (OpenSqs sqs = OpenSqs.start(redis)) {
            ended = sqs.gateway().context().getBean(AnswerThreads.class);
            ended.after(0, () -> {});
        }
        await().atMost(WAIT).until(ended::isTerminated);
        ended.after(0, () -> messages.release());
        assertThat(ended.pending()).isZero();
        assertThat(messages.released).isNotDone();
        others.after(0, () -> messages.release());
        await().atMost(WAIT).until(messages.released::isDone);
    }

    private static Gateway.Reply claim(OpenSqs sqs, String body) throws Exception {
        return sqs.gateway().send("POST", "/topics/room/claims", body);
    }

    private static void makeDeadLetter(OpenSqs sqs) throws Exception {
        sqs.create("room");
        sqs.create("room-dead");
        sqs.send("room", "dead");
        String receipt =
                claim(sqs, "{\"wait\": 30}").json().at("/messages/0/receipt").stringValue();
        assertThat(sqs.gateway()
                        .send("POST", "/claims/" + receipt + "/dead-letter", "{\"reason\": \"test\"}")
                        .status())
                .isLessThan(300);
    }
}
