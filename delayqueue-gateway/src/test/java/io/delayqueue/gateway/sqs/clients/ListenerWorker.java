package io.delayqueue.gateway.sqs.clients;

import io.awspring.cloud.autoconfigure.core.AwsAutoConfiguration;
import io.awspring.cloud.autoconfigure.core.CredentialsProviderAutoConfiguration;
import io.awspring.cloud.autoconfigure.core.RegionProviderAutoConfiguration;
import io.awspring.cloud.autoconfigure.sqs.SqsAsyncClientCustomizer;
import io.awspring.cloud.autoconfigure.sqs.SqsAutoConfiguration;
import io.awspring.cloud.sqs.annotation.SqsListener;
import io.awspring.cloud.sqs.listener.SqsHeaders;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.Message;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequest;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchResponse;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;

/**
 * A Spring Boot application with a listener of Spring Cloud AWS, whose properties alone lead it here. It handles messages one by one until
 * it is killed, and tells its steps as {@link SdkWorker} does.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    AwsAutoConfiguration.class,
    CredentialsProviderAutoConfiguration.class,
    RegionProviderAutoConfiguration.class,
    SqsAutoConfiguration.class
})
class ListenerWorker {

    private static final PrintStream STEPS = System.out;

    /** Of the process. Arguments: endpoint, URL of the queue, visibility timeout. */
    public static void main(String[] args) {
        // lines of a log are no steps
        System.setOut(System.err);
        new SpringApplicationBuilder(ListenerWorker.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.cloud.aws.sqs.endpoint=" + args[0],
                        "--spring.cloud.aws.region.static=us-east-1",
                        "--spring.cloud.aws.credentials.access-key=any",
                        "--spring.cloud.aws.credentials.secret-key=any",
                        "--spring.cloud.aws.sqs.enabled=true",
                        // each message has a receive of its own
                        "--spring.cloud.aws.sqs.listener.max-concurrent-messages=1",
                        "--spring.cloud.aws.sqs.listener.max-messages-per-poll=1",
                        "--spring.cloud.aws.sqs.listener.poll-timeout=20s",
                        "--worker.queue=" + args[1].substring(args[1].lastIndexOf('/') + 1),
                        "--worker.visibility=" + args[2]);
    }

    @Bean
    Steps steps() {
        return new Steps();
    }

    @Bean
    SqsAsyncClientCustomizer stepsOfTheClient(Steps steps) {
        return client -> client.overrideConfiguration(client.overrideConfiguration().toBuilder()
                .addExecutionInterceptor(steps)
                .build());
    }

    /** A message that was received. */
    private record Received(String number, long asked) {}

    /** The listener, and what its client asks for. */
    static class Steps implements ExecutionInterceptor {

        private static final long HANDLING_NANOS = Duration.ofMillis(10).toNanos();

        private final Map<String, Received> byReceipt = new ConcurrentHashMap<>();
        private volatile long asked;

        @SqsListener(queueNames = "${worker.queue}", messageVisibilitySeconds = "${worker.visibility}")
        void handle(Message<String> message) {
            long got = SdkWorker.micros();
            String number = message.getPayload();
            Object count = message.getHeaders().get(SqsHeaders.MessageSystemAttributes.SQS_APPROXIMATE_RECEIVE_COUNT);
            tell("got " + number + " " + asked + " " + got + " " + count);
            String receipt = message.getHeaders().get(SqsHeaders.SQS_RECEIPT_HANDLE_HEADER, String.class);
            byReceipt.put(Objects.requireNonNull(receipt), new Received(number, asked));
            LockSupport.parkNanos(HANDLING_NANOS);
            tell("deleting " + number);
        }

        @Override
        public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
            if (context.request() instanceof ReceiveMessageRequest) {
                asked = SdkWorker.micros();
            }
        }

        @Override
        public void afterExecution(Context.AfterExecution context, ExecutionAttributes attributes) {
            if (context.request() instanceof DeleteMessageBatchRequest request
                    && context.response() instanceof DeleteMessageBatchResponse response) {
                long answered = SdkWorker.micros();
                request.entries().stream()
                        .filter(entry -> response.successful().stream()
                                .anyMatch(deleted -> deleted.id().equals(entry.id())))
                        .map(entry -> byReceipt.remove(entry.receiptHandle()))
                        .forEach(message -> tell("deleted " + message.number + " " + message.asked + " " + answered));
            }
        }

        private static void tell(String step) {
            STEPS.println(step);
            STEPS.flush();
        }
    }
}
