package io.delayqueue.gateway.sqs.clients;

import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;

/**
 * Receives and deletes by the AWS SDK for Java until it is killed, and tells each step when it begins and when it is answered, as
 * {@code sqs_worker.py} does. Times are microseconds.
 */
final class SdkWorker {

    private static final PrintStream STEPS = System.out;
    private static final long HANDLING_NANOS = Duration.ofMillis(10).toNanos();

    private SdkWorker() {}

    /** Of the process. Arguments: endpoint, URL of the queue, visibility timeout. */
    public static void main(String[] args) {
        // lines of a log are no steps
        System.setOut(System.err);
        SqsClient sqs = SqsClient.builder()
                .endpointOverride(URI.create(args[0]))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("any", "any")))
                .httpClient(UrlConnectionHttpClient.create())
                .build();
        while (true) {
            work(sqs, args[1], Integer.parseInt(args[2]));
        }
    }

    private static void work(SqsClient sqs, String url, int visibilitySeconds) {
        long asked = micros();
        List<Message> messages = sqs.receiveMessage(request -> request.queueUrl(url)
                        .maxNumberOfMessages(5)
                        .waitTimeSeconds(20)
                        .visibilityTimeout(visibilitySeconds)
                        .messageSystemAttributeNames(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT))
                .messages();
        long got = micros();
        for (Message message : messages) {
            String count = message.attributes().get(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT);
            tell("got " + message.body() + " " + asked + " " + got + " " + count);
        }
        for (Message message : messages) {
            LockSupport.parkNanos(HANDLING_NANOS);
            tell("deleting " + message.body());
            sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receiptHandle()));
            tell("deleted " + message.body() + " " + asked + " " + micros());
        }
    }

    private static void tell(String step) {
        STEPS.println(step);
        STEPS.flush();
    }

    /** Now, by the machine's clock. */
    static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
