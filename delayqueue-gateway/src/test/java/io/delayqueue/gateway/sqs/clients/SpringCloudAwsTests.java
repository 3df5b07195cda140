package io.delayqueue.gateway.sqs.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.awspring.cloud.sqs.annotation.SqsListener;
import io.awspring.cloud.sqs.config.SqsBootstrapConfiguration;
import io.awspring.cloud.sqs.config.SqsMessageListenerContainerFactory;
import io.awspring.cloud.sqs.operations.SqsTemplate;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

/** Listeners and the template of Spring Cloud AWS work unchanged. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class SpringCloudAwsTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final int MESSAGES = 50;

    @Test
    void listenerHandlesWhatTheTemplateAndJavaSend(EmbeddedRedis redis) {
        try (SqsGateway gateway = SqsGateway.start(redis);
                AnnotationConfigApplicationContext context = context(gateway)) {
            SqsTemplate template = context.getBean(SqsTemplate.class);
            for (int i = 0; i < MESSAGES; i++) {
                String body = "message " + i;
                template.send(to -> to.queue("orders").payload(body));
            }
            gateway.client()
                    .schedule(OutgoingMessage.to("orders")
                            .payload("from Java".getBytes(StandardCharsets.UTF_8))
                            .build());

            Orders orders = context.getBean(Orders.class);
            await().atMost(WAIT)
                    .untilAsserted(() ->
                            assertThat(orders.handled).hasSize(MESSAGES + 1).contains("from Java"));
            await().atMost(WAIT)
                    .until(() -> gateway.client().stats("orders").totals().acked() == MESSAGES + 1);
            assertThat(orders.failures).as("one failed once").hasValueGreaterThanOrEqualTo(2);
        }
    }

    private static AnnotationConfigApplicationContext context(SqsGateway gateway) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("endpoint", gateway.endpoint())));
        context.register(Application.class);
        context.refresh();
        return context;
    }

    @Configuration(proxyBeanMethods = false)
    @Import({SqsBootstrapConfiguration.class, Orders.class})
    static class Application {

        @Bean
        SqsAsyncClient client(@Value("${endpoint}") String endpoint) {
            return SqsAsyncClient.builder()
                    .endpointOverride(URI.create(endpoint))
                    .region(Region.US_EAST_1)
                    .credentialsProvider(StaticCredentialsProvider.create(
                            AwsBasicCredentials.create(SqsGateway.KEY, SqsGateway.SECRET)))
                    .build();
        }

        @Bean
        SqsMessageListenerContainerFactory<Object> defaultSqsListenerContainerFactory(SqsAsyncClient client) {
            return SqsMessageListenerContainerFactory.builder()
                    .sqsAsyncClient(client)
                    .configure(options -> options.pollTimeout(Duration.ofSeconds(2)))
                    .build();
        }

        @Bean
        SqsTemplate template(SqsAsyncClient client) {
            return SqsTemplate.newTemplate(client);
        }
    }

    static class Orders {

        final Set<String> handled = ConcurrentHashMap.newKeySet();
        final AtomicInteger failures = new AtomicInteger();

        // tag::listener[]
        @SqsListener(queueNames = "orders", messageVisibilitySeconds = "2")
        void handle(String order) {
            close(order);
        }
        // end::listener[]

        private void close(String order) {
            if (order.equals("message 7") && failures.incrementAndGet() == 1) {
                throw new IllegalStateException("once");
            }
            handled.add(order);
        }
    }
}
