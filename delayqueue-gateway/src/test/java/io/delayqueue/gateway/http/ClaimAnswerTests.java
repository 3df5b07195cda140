package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.AnswerTimes;
import io.delayqueue.gateway.claim.ClaimDelivery;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** The lease of a client begins before the client can have a receipt: so its own changes of the lease come behind it. */
@ExtendWith(EmbeddedRedisExtension.class)
class ClaimAnswerTests {

    private static final Duration DELIVERY = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(10);

    /** An answer to a client that reads nothing until its lease has begun. */
    private static final class PatientResponse extends MockHttpServletResponse {

        private final Runnable beforeBytes;

        private PatientResponse(Runnable beforeBytes) {
            this.beforeBytes = beforeBytes;
        }

        @Override
        public ServletOutputStream getOutputStream() {
            return new ServletOutputStream() {
                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setWriteListener(WriteListener listener) {
                    try {
                        listener.onWritePossible();
                    } catch (IOException e) {
                        listener.onError(e);
                    }
                }

                @Override
                public void write(int b) throws IOException {
                    throw new IOException("one byte");
                }

                @Override
                public void write(byte[] bytes, int offset, int length) {
                    beforeBytes.run();
                }
            };
        }
    }

    /** Seconds that the only lease of the topic has left. */
    private static long leaseLeft(StatefulRedisConnection<String, String> redis, String leased) {
        List<String> time = redis.sync().time();
        double ends = redis.sync().zrangeWithScores(leased, 0, -1).get(0).getScore();
        return TimeUnit.MICROSECONDS.toSeconds((long) ends - Long.parseLong(time.get(0)) * 1_000_000);
    }

    @Test
    void leaseBeginsBeforeTheClientHasItsReceipts(EmbeddedRedis server) throws Exception {
        RedisClient connections = RedisClient.create(server.uri());
        try (AnswerThreads threads = new AnswerThreads(1);
                DelayQueueClient client = DelayQueueClient.create(
                        connections,
                        DelayQueueOptions.builder()
                                .commandTimeout(Duration.ofSeconds(20))
                                .build());
                StatefulRedisConnection<String, String> redis = connections.connect()) {
            PullConsumers consumers = new PullConsumers(
                    client, PullOptions.builder().lease(DELIVERY).build(), Duration.ofMinutes(1), threads);
            consumers.start();
            client.schedule(OutgoingMessage.to("orders").payload(new byte[1]).build());
            List<PulledMessage> claimed =
                    consumers.receive("orders", 1, Duration.ofSeconds(30)).get(60, TimeUnit.SECONDS);
            String leased = redis.sync().keys("*leased*").get(0);
            assertThat(leaseLeft(redis, leased)).isLessThanOrEqualTo(DELIVERY.toSeconds());

            MockHttpServletRequest request = new MockHttpServletRequest();
            request.setAsyncSupported(true);
            AtomicBoolean written = new AtomicBoolean();
            new ClaimAnswer(
                            new ClaimDelivery(consumers, claimed, LEASE),
                            new byte[10],
                            new byte[5],
                            false,
                            AnswerTimes.of(Duration.ofMinutes(5), DELIVERY, threads))
                    .render(Map.of(), request, new PatientResponse(() -> {
                        await().atMost(Duration.ofSeconds(20))
                                .until(() -> leaseLeft(redis, leased) > DELIVERY.toSeconds());
                        written.set(true);
                    }));
            assertThat(written).isTrue();
            consumers.destroy();
        } finally {
            connections.shutdown();
        }
    }
}
