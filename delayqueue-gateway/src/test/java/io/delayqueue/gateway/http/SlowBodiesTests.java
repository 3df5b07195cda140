package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** Many clients whose bodies come a byte at a time. */
@ExtendWith(EmbeddedRedisExtension.class)
class SlowBodiesTests {

    private static final String PATH = "/topics/orders/messages";

    private final List<RawConnection> connections = new ArrayList<>();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class CountingApplication {

        /** Requests whose first pass through the filters has ended. */
        private final AtomicInteger passed = new AtomicInteger();

        @Bean
        FilterRegistrationBean<Filter> passingFilter() {
            FilterRegistrationBean<Filter> first = new FilterRegistrationBean<>((request, response, chain) -> {
                chain.doFilter(request, response);
                passed.incrementAndGet();
            });
            first.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return first;
        }
    }

    @AfterEach
    void close() throws IOException {
        for (RawConnection connection : connections) {
            connection.close();
        }
    }

    private RawConnection begin(Gateway gateway, String length) throws IOException {
        RawConnection connection = new RawConnection(gateway.port());
        connections.add(connection);
        connection.send("POST /delayqueue/v1" + PATH + " HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\n" + length + "\r\n\r\n");
        return connection;
    }

    /** Many more than the container has threads. */
    @Test
    void slowBodiesHoldNoThreadAndEndInTime(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(
                redis,
                "server.tomcat.threads.max=5",
                "server.tomcat.threads.min-spare=5",
                "delayqueue.gateway.body-timeout=8s")) {
            // the first request connects
            assertThat(gateway.send("POST", "/topics/first/messages", "{\"payload\": 1}")
                            .status())
                    .isEqualTo(201);
            for (int i = 0; i < 60; i++) {
                begin(gateway, i % 2 == 0 ? "Content-Length: 1000" : "Transfer-Encoding: chunked");
            }
            Thread drip = new Thread(this::drip);
            drip.start();
            long begun = System.nanoTime();
            assertThat(gateway.send("POST", PATH, "{\"payload\": 1}").status()).isEqualTo(201);
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("a request beside them")
                    .isLessThan(Duration.ofSeconds(7));

            for (RawConnection connection : connections) {
                assertThat(connection.readHead()).startsWith("HTTP/1.1 408").contains("application/problem+json");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("all of them, each with its time")
                    .isLessThan(Duration.ofSeconds(40));
            drip.interrupt();
            drip.join();
            assertThat(gateway.client().stats("orders").totals().accepted()).isEqualTo(1);
        }
    }

    /** A byte keeps the container's own timeout from ending them. */
    private void drip() {
        while (!Thread.interrupted()) {
            for (int i = 0; i < connections.size(); i++) {
                try {
                    connections.get(i).send(i % 2 == 0 ? " " : "1\r\n \r\n");
                } catch (IOException e) {
                    // it was answered and closed
                }
            }
            LockSupport.parkNanos(500_000_000);
        }
    }

    @Test
    void slowBodiesBeyondTheirNumberAreRefused(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(
                CountingApplication.class,
                redis,
                "delayqueue.gateway.max-incoming-bodies=20",
                "delayqueue.gateway.body-timeout=60s")) {
            for (int i = 0; i < 20; i++) {
                begin(gateway, "Content-Length: 14");
            }
            // the gateway waits for all of them
            AtomicInteger passed = gateway.context().getBean(CountingApplication.class).passed;
            await().atMost(Duration.ofSeconds(40)).until(() -> passed.get() == 20);
            for (int i = 0; i < 20; i++) {
                assertThat(begin(gateway, "Content-Length: 14").readHead())
                        .startsWith("HTTP/1.1 503")
                        .contains("Retry-After");
            }

            for (int i = 0; i < 20; i++) {
                connections.get(i).send("{\"payload\": 1}");
                assertThat(connections.get(i).readHead()).startsWith("HTTP/1.1 201");
            }
            assertThat(begin(gateway, "Content-Length: 14\r\n\r\n{\"payload\": 1}")
                            .readHead())
                    .as("one that comes with its head")
                    .startsWith("HTTP/1.1 201");
        }
    }

    /** Status of a request whose body comes after its head. */
    private String statusOfLate(Gateway gateway) throws IOException {
        RawConnection connection = begin(gateway, "Content-Length: 14");
        LockSupport.parkNanos(50_000_000);
        try {
            connection.send("{\"payload\": 1}");
        } catch (IOException e) {
            // it was refused and closed
        }
        String head = connection.readHead();
        return head.isEmpty() ? head : head.substring(9, 12);
    }

    @Test
    void aBodyMayComeInPieces(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(redis)) {
            RawConnection connection = begin(gateway, "Transfer-Encoding: chunked");
            for (String piece : List.of("{\"id\":", " \"o1\", ", "\"payload\": ", "1}")) {
                connection.send(Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n");
                LockSupport.parkNanos(20_000_000);
            }
            connection.send("0\r\n\r\n");

            assertThat(connection.readHead()).startsWith("HTTP/1.1 201");
            assertThat(gateway.client().find("orders", "o1")).isPresent();
        }
    }

    @Test
    void aChunkedBodyThatIsTooLargeIsRefusedBeforeItsEnd(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(redis, "delayqueue.gateway.max-body=1KB")) {
            RawConnection connection = begin(gateway, "Transfer-Encoding: chunked");
            connection.send("800\r\n" + "x".repeat(0x800) + "\r\n");

            assertThat(connection.readHead()).startsWith("HTTP/1.1 413");
        }
    }

    @Test
    void aClientThatGoesAwayFreesItsSlotForOthers(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(redis, "delayqueue.gateway.max-incoming-bodies=5")) {
            for (int i = 0; i < 50; i++) {
                begin(gateway, "Content-Length: 14").reset();
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> statusOfLate(gateway).equals("201"));
        }
    }
}
