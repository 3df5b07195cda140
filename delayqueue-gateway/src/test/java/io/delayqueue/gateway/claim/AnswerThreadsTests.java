package io.delayqueue.gateway.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

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
    private static final class CalledMessages implements AnsweredMessages {

        private final CompletableFuture<String> renewed = new CompletableFuture<>();
        private final CompletableFuture<String> released = new CompletableFuture<>();

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

    private void begin(AnswerTimes times) throws IOException {
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
        begin(new AnswerTimes(Duration.ofMinutes(10), Duration.ofMillis(20)));
        try {
            assertThat(messages.renewed.get(WAIT.toSeconds(), TimeUnit.SECONDS)).startsWith(NAME);
        } finally {
            connection.listener.onError(new IOException("closed"));
        }
    }

    @Test
    void messagesOfAnAnswerThatIsNotTakenInTimeAreReleasedByThem() throws Exception {
        begin(new AnswerTimes(Duration.ofMillis(20), Duration.ofMinutes(10)));
        assertThat(messages.released.get(WAIT.toSeconds(), TimeUnit.SECONDS)).startsWith(NAME);
    }

    @Test
    void messagesWhoseAnswerFindsNoThreadAreReleasedByThem(EmbeddedRedis redis) throws Exception {
        RedisClient connections = RedisClient.create(redis.uri());
        try (DelayQueueClient client = DelayQueueClient.create(
                connections, DelayQueueOptions.builder().commandTimeout(WAIT).build())) {
            PullOptions options =
                    PullOptions.builder().lease(Duration.ofSeconds(2)).build();
            PullConsumers consumers = new PullConsumers(client, options, WAIT);
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
}
