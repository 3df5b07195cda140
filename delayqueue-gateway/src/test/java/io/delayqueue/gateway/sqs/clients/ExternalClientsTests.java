package io.delayqueue.gateway.sqs.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.TopicStats;
import io.delayqueue.gateway.testsupport.Programs;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** SQS clients in other languages, which check signatures of bodies themselves, work unchanged. */
@Tag("slow")
@Timeout(400)
@ExtendWith(EmbeddedRedisExtension.class)
class ExternalClientsTests {

    private static final Path BOTO3 = Path.of("src/test/python/sqs_boto3.py");

    @Test
    void boto3Works(EmbeddedRedis redis) throws Exception {
        String python = Programs.pythonWithBoto3();
        try (SqsGateway gateway = SqsGateway.start(redis)) {
            String output = run(gateway, List.of(python), BOTO3, "any");
            assertThat(output).startsWith("Call Ann").endsWith("done");
            assertThat(gateway.client().stats("reminder").totals().acked()).isEqualTo(1);
        }
    }

    @Test
    void boto3OfTheQueryProtocolWorks(EmbeddedRedis redis) throws Exception {
        List<String> python = pythonWithQueryProtocol();
        try (SqsGateway gateway = SqsGateway.start(redis)) {
            String output = run(gateway, python, BOTO3, "query");
            assertThat(output).startsWith("Call Ann").endsWith("done");
            assertThat(gateway.client().stats("reminder").totals().acked()).isEqualTo(1);
        }
    }

    /** That of this machine, or with the last boto3 that speaks it. */
    private static List<String> pythonWithQueryProtocol() throws InterruptedException {
        String python = Programs.pythonWithBoto3();
        String protocol = "import boto3; print(boto3.client('sqs', region_name='any').meta.service_model.protocol)";
        if (Programs.run(List.of(python, "-c", protocol)).equals("query")) {
            return List.of(python);
        }
        String folder = Path.of("target/python/boto3").toAbsolutePath().toString();
        String installed = Programs.run(
                List.of(python, "-m", "pip", "install", "-q", "--upgrade", "--target", folder, "boto3==1.28.80"));
        List<String> pinned = List.of("env", "PYTHONPATH=" + folder, python);
        List<String> look = new ArrayList<>(pinned);
        look.addAll(List.of("-c", protocol));
        if (!Programs.run(look).equals("query")) {
            Programs.skip("boto3", "pip can't install a boto3 of the query protocol: " + installed);
        }
        return pinned;
    }

    @Test
    void awsSdkForJavaScriptWorks(EmbeddedRedis redis) throws Exception {
        Path folder = Programs.installed(Path.of("src/test/node/sqs"), Path.of("target/node/sqs"));
        try (SqsGateway gateway = SqsGateway.start(redis)) {
            String output = run(gateway, List.of("node"), folder.resolve("sdk.mjs"));
            assertThat(output).startsWith("Call Ann").endsWith("done");
        }
    }

    @Test
    void sqsConsumerHandlesEachMessage(EmbeddedRedis redis) throws Exception {
        Path folder = Programs.installed(Path.of("src/test/node/sqs"), Path.of("target/node/sqs"));
        try (SqsGateway gateway = SqsGateway.start(redis)) {
            assertThat(run(gateway, List.of("node"), folder.resolve("consumer.mjs")))
                    .isEqualTo("done");
            TopicStats stats = gateway.client().stats("consumed");
            assertThat(stats.totals().acked()).isEqualTo(25);
            assertThat(stats.totals().retried()).as("one was released").isEqualTo(1);
        }
    }

    private static String run(SqsGateway gateway, List<String> program, Path script, String... more)
            throws InterruptedException {
        List<String> command = new ArrayList<>(program);
        command.addAll(
                List.of(script.toAbsolutePath().toString(), gateway.endpoint(), SqsGateway.KEY, SqsGateway.SECRET));
        command.addAll(List.of(more));
        return Programs.run(command);
    }
}
