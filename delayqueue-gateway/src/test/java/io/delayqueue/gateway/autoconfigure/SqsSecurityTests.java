package io.delayqueue.gateway.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** The endpoint for SQS clients asks for key pairs, before a Spring Security that wants a user and a CSRF token for each request. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class SqsSecurityTests {

    private static SqsGateway sqs;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        Gateway gateway = Gateway.start(
                Closed.class,
                redis,
                "spring.autoconfigure.exclude=" + Gateway.DATABASE,
                "delayqueue.gateway.sqs.enabled=true",
                "delayqueue.gateway.sqs.keys.AKID.secret=" + SqsGateway.SECRET,
                "delayqueue.gateway.sqs.keys.AKID.rights=produce,consume,operate",
                "delayqueue.gateway.sqs.keys.AKID.topics=*");
        sqs = new SqsGateway(gateway, SqsGateway.client(gateway, SqsGateway.KEY, SqsGateway.SECRET));
    }

    @AfterAll
    static void close() {
        sqs.close();
    }

    @Test
    void signedRequestsNeedNoUser() {
        String url = sqs.create("orders");
        CompletableFuture<Message> waiting = CompletableFuture.supplyAsync(() -> sqs.receiveOne(url));
        sqs.sqs().sendMessage(request -> request.queueUrl(url).messageBody("hello"));

        Message message = waiting.join();

        assertThat(message.body()).isEqualTo("hello");
        sqs.sqs().deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receiptHandle()));
        assertThat(sqs.client().stats("orders").totals().acked()).isEqualTo(1);
    }

    @Test
    void wrongSecretIsRefusedByTheEndpoint() {
        try (SqsClient stranger = SqsGateway.client(sqs.gateway(), SqsGateway.KEY, "another-secret-of-some-length")) {
            assertThatExceptionOfType(SqsException.class)
                    .isThrownBy(stranger::listQueues)
                    .satisfies(e -> {
                        assertThat(e.statusCode()).isEqualTo(403);
                        assertThat(e.awsErrorDetails().errorCode()).isEqualTo("SignatureDoesNotMatch");
                    });
        }
    }

    @Test
    void otherRequestsAreSpringSecuritys() throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(sqs.endpoint() + "/delayqueue/v1/topics/others/messages"))
                .header("Content-Type", "application/json");
        assertThat(status(request.GET())).isEqualTo(403);
        assertThat(status(request.POST(BodyPublishers.ofString("{\"payload\": 1}"))))
                .isEqualTo(403);
        assertThat(sqs.client().stats("others").totals().accepted()).isZero();
    }

    private static int status(HttpRequest.Builder request) throws Exception {
        return sqs.gateway()
                .http()
                .send(request.build(), BodyHandlers.discarding())
                .statusCode();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Closed {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .build();
        }
    }
}
