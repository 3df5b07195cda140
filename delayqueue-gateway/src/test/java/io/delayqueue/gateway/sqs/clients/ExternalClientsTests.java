package io.delayqueue.gateway.sqs.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.TopicStats;
import io.delayqueue.gateway.sqs.SqsGateway;
import io.delayqueue.gateway.testsupport.Programs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** SQS clients in other languages, which check signatures of bodies themselves, work unchanged. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class ExternalClientsTests {

    @Test
    void boto3Works(EmbeddedRedis redis) throws Exception {
        String python = Programs.pythonWithBoto3();
        try (SqsGateway gateway = SqsGateway.start(redis)) {
            String output = run(gateway, python, Path.of("src/test/python/sqs_boto3.py"));
            assertThat(output).startsWith("Call Ann").endsWith("done");
            assertThat(gateway.client().stats("reminder").totals().acked()).isEqualTo(1);
        }
    }

    @Test
    void awsSdkForJavaScriptWorks(EmbeddedRedis redis) throws Exception {
        Path folder = Programs.installed(Path.of("src/test/node/sqs"), Path.of("target/node/sqs"));
        try (SqsGateway gateway = SqsGateway.start(redis)) {
            String output = run(gateway, "node", folder.resolve("sdk.mjs"));
            assertThat(output).startsWith("Call Ann").endsWith("done");
        }
    }

    @Test
    void sqsConsumerHandlesEachMessage(EmbeddedRedis redis) throws Exception {
        Path folder = Programs.installed(Path.of("src/test/node/sqs"), Path.of("target/node/sqs"));
        try (SqsGateway gateway = SqsGateway.start(redis)) {
            assertThat(run(gateway, "node", folder.resolve("consumer.mjs"))).isEqualTo("done");
            TopicStats stats = gateway.client().stats("consumed");
            assertThat(stats.totals().acked()).isEqualTo(25);
            assertThat(stats.totals().retried()).as("one was given back").isEqualTo(1);
        }
    }

    private static String run(SqsGateway gateway, String program, Path script) throws InterruptedException {
        return Programs.run(List.of(
                program, script.toAbsolutePath().toString(), gateway.endpoint(), SqsGateway.KEY, SqsGateway.SECRET));
    }
}
