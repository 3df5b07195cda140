package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.sqs.action.SqsConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The application's own requests hold all threads of the container: an answer that waits for one keeps no message for long. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class LateAnswersTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final int THREADS = 4;

    private static final CountDownLatch busy = new CountDownLatch(THREADS);
    private static final CountDownLatch free = new CountDownLatch(1);

    private static void waitForFree() {
        busy.countDown();
        try {
            assertThat(free.await(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class BusyApplication {

        @Bean
        ServletRegistrationBean<HttpServlet> busyServlet() {
            return new ServletRegistrationBean<>(
                    new HttpServlet() {
                        private static final long serialVersionUID = 1L;

                        @Override
                        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
                            waitForFree();
                        }
                    },
                    "/busy");
        }
    }

    @Test
    void messageIsReleasedUncounted(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = new OpenSqs(Gateway.start(
                BusyApplication.class,
                redis,
                "delayqueue.gateway.sqs.enabled=true",
                // the message is released after half of it, and has the rest for pauses of the process
                "delayqueue.gateway.sqs.delivery-lease=8s",
                "server.tomcat.threads.max=" + THREADS,
                "server.tomcat.threads.min-spare=" + THREADS))) {
            sqs.create("late");
            CompletableFuture<Reply> first = sqs.jsonAsync("ReceiveMessage", OpenSqs.receiveBody("late", 20, 30));
            PullConsumers consumers =
                    sqs.gateway().context().getBean(SqsConsumers.class).of("late");
            await().atMost(WAIT).until(() -> consumers.callsUnderWay("late") == 1);
            List<CompletableFuture<?>> requests = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                requests.add(sqs.gateway()
                        .http()
                        .sendAsync(
                                HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                                + sqs.gateway().port() + "/busy"))
                                        .build(),
                                HttpResponse.BodyHandlers.discarding()));
            }
            assertThat(busy.await(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            sqs.client()
                    .scheduleAsync(
                            OutgoingMessage.to("late").payload(new byte[] {'x'}).build())
                    .join();

            await().atMost(WAIT).until(() -> consumers.callsUnderWay("late") == 0);
            await().atMost(WAIT)
                    .until(() -> sqs.client().stats("late").pending().ready() == 1);
            free.countDown();
            requests.forEach(CompletableFuture::join);
            Reply late = first.get(60, TimeUnit.SECONDS);
            assertThat(late.status()).isEqualTo(200);
            assertThat(late.json().has("Messages")).isFalse();

            Reply next = sqs.receive("late", 20);
            assertThat(next.json()
                            .at("/Messages/0/Attributes/ApproximateReceiveCount")
                            .stringValue())
                    .isEqualTo("1");
        } finally {
            free.countDown();
        }
    }
}
