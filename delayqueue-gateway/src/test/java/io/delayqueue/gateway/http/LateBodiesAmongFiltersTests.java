package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/** Bodies that come later than their heads, in an application whose filters have the order of filters that name none. */
@ExtendWith(EmbeddedRedisExtension.class)
class LateBodiesAmongFiltersTests {

    private static final Duration WAIT = Duration.ofSeconds(40);
    private static final String MESSAGES = "/topics/orders/messages";
    private static final String READ = "X-Read-By-Filter: yes\r\n";
    private static final String BODY = "{\"payload\": 1}";

    private static Gateway gateway;
    private static FilteringApplication application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class FilteringApplication {

        /** Requests whose first pass through the filters has ended. */
        private final AtomicInteger passed = new AtomicInteger();

        private final AtomicInteger filtered = new AtomicInteger();
        private final List<Observation.Context> started = new CopyOnWriteArrayList<>();
        private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();

        @Bean
        FilterRegistrationBean<Filter> passingFilter() {
            FilterRegistrationBean<Filter> first = new FilterRegistrationBean<>((request, response, chain) -> {
                chain.doFilter(request, response);
                passed.incrementAndGet();
            });
            first.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return first;
        }

        /** One that knows nothing of asynchronous requests. */
        @Bean
        Filter countingFilter() {
            return (request, response, chain) -> {
                filtered.incrementAndGet();
                chain.doFilter(request, response);
            };
        }

        /** Keeps each answer until the request ends, and writes it then. */
        @Bean
        ShallowEtagHeaderFilter keepingFilter() {
            return new ShallowEtagHeaderFilter();
        }

        @Bean
        ServerHttpObservationFilter observingFilter() {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
                @Override
                public void onStart(Observation.Context context) {
                    started.add(context);
                }

                @Override
                public void onStop(Observation.Context context) {
                    stopped.add(context);
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return true;
                }
            });
            return new ServerHttpObservationFilter(registry);
        }

        /** Reads bodies, and gives those behind it a copy. */
        @Bean
        Filter readingFilter() {
            return LateBodiesAmongFiltersTests::readIfAsked;
        }
    }

    private static void readIfAsked(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest http = (HttpServletRequest) request;
        chain.doFilter(http.getHeader("X-Read-By-Filter") == null ? http : new ReadRequest(http), response);
    }

    private static final class ReadRequest extends HttpServletRequestWrapper {

        private final ByteArrayInputStream body;

        private ReadRequest(HttpServletRequest request) throws IOException {
            super(request);
            body = new ByteArrayInputStream(request.getInputStream().readAllBytes());
        }

        @Override
        public ServletInputStream getInputStream() {
            return new ServletInputStream() {
                @Override
                public int read() {
                    return body.read();
                }

                @Override
                public boolean isFinished() {
                    return body.available() == 0;
                }

                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setReadListener(ReadListener listener) {
                    throw new UnsupportedOperationException("not for asynchronous reads");
                }
            };
        }
    }

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(FilteringApplication.class, redis, "delayqueue.gateway.max-body=1KB");
        application = gateway.context().getBean(FilteringApplication.class);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static String head(String path, String headers) {
        return "POST /delayqueue/v1" + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + headers + "\r\n";
    }

    /** The connection of a request for whose body the gateway waits. */
    private static RawConnection begin(String path, String headers) throws IOException {
        int before = application.passed.get();
        RawConnection connection = new RawConnection(gateway.port());
        connection.send(head(path, headers));
        await().atMost(WAIT).until(() -> application.passed.get() > before);
        return connection;
    }

    @Test
    void requestPassesEachFilterOnce() throws Exception {
        int before = application.filtered.get();
        try (RawConnection connection = begin(MESSAGES, "Content-Length: 14\r\n")) {
            connection.send(BODY);
            assertThat(connection.readHead()).startsWith("HTTP/1.1 201");
        }
        assertThat(application.filtered).hasValue(before + 1);
        assertThat(gateway.client().stats("orders").totals().accepted()).isEqualTo(1);
    }

    /** Its controller answers without waiting. */
    @Test
    void observationOfTheRequestEnds() throws Exception {
        int before = application.started.size();
        try (RawConnection connection = begin("/nothing", "Content-Length: 14\r\n")) {
            connection.send(BODY);
            assertThat(connection.readHead()).startsWith("HTTP/1.1 404");
        }
        // those of requests before it may end while it is under way
        Observation.Context own = application.started.get(before);
        await().atMost(WAIT).until(() -> application.stopped.contains(own));
        assertThat(application.started).hasSize(before + 1);
        assertThat(application.stopped).containsOnlyOnce(own);
    }

    @Test
    void refusalOfTheBodyIsWritten() throws Exception {
        try (RawConnection connection = begin(MESSAGES, "Transfer-Encoding: chunked\r\n")) {
            connection.send(Integer.toHexString(2_000) + "\r\n" + "x".repeat(2_000) + "\r\n");
            assertThat(connection.readHead()).startsWith("HTTP/1.1 413").contains("application/problem+json");
            // the connection ends behind it
            assertThat(connection.readHead()).as("body of the answer").contains("body-too-large");
        }
    }

    @Test
    void bodyThatAFilterHasReadIsHandled() throws Exception {
        try (RawConnection connection = new RawConnection(gateway.port())) {
            connection.send(head(MESSAGES, READ + "Content-Length: 14\r\n") + BODY);
            assertThat(connection.readHead()).startsWith("HTTP/1.1 201");
            connection.send(head(MESSAGES, READ + "Content-Length: 14\r\n"));
            connection.send(BODY);
            // behind the body of the first answer
            assertThat(connection.readHead()).contains("HTTP/1.1 201");
        }
        assertThat(gateway.client().stats("orders").totals().accepted()).isEqualTo(2);
    }
}
