package io.delayqueue.gateway.testsupport;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.test.EmbeddedRedis;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;

/**
 * A whole application that checks signatures, and a client of it.
 *
 * @param gateway the application
 * @param sqs has all rights
 */
public record SqsGateway(Gateway gateway, SqsClient sqs) implements AutoCloseable {

    /** Access key id that has all rights. */
    public static final String KEY = "AKID";

    /** Its secret. */
    public static final String SECRET = "a-secret-of-some-length";

    /** Starts one on this Redis. */
    public static SqsGateway start(EmbeddedRedis redis, String... properties) {
        Gateway gateway = Gateway.start(
                redis,
                Stream.concat(
                                Stream.of(
                                        "delayqueue.gateway.sqs.enabled=true",
                                        "delayqueue.gateway.sqs.keys.AKID.secret=" + SECRET,
                                        "delayqueue.gateway.sqs.keys.AKID.rights=produce,consume,operate",
                                        "delayqueue.gateway.sqs.keys.AKID.topics=*"),
                                Stream.of(properties))
                        .toArray(String[]::new));
        return new SqsGateway(gateway, client(gateway, KEY, SECRET));
    }

    /** A client with these keys. */
    public static SqsClient client(Gateway gateway, String keyId, String secret) {
        return SqsClient.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + gateway.port()))
                .region(Region.EU_CENTRAL_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(keyId, secret)))
                .httpClient(UrlConnectionHttpClient.create())
                .build();
    }

    /** The endpoint's URL. */
    public String endpoint() {
        return "http://127.0.0.1:" + gateway.port();
    }

    /** The queue behind it. */
    public DelayQueueClient client() {
        return gateway.client();
    }

    /** Creates a queue, and tells its URL. */
    public String create(String name) {
        return sqs.createQueue(request -> request.queueName(name)).queueUrl();
    }

    /** Receives up to ten messages, with all that there is of them. */
    public List<Message> receive(String url, int waitSeconds) {
        return sqs.receiveMessage(request -> request.queueUrl(url)
                        .maxNumberOfMessages(10)
                        .waitTimeSeconds(waitSeconds)
                        .messageSystemAttributeNames(MessageSystemAttributeName.ALL)
                        .messageAttributeNames("All"))
                .messages();
    }

    /** The one message that comes. */
    public Message receiveOne(String url) {
        List<Message> messages = receive(url, 20);
        if (messages.size() != 1) {
            throw new IllegalStateException("not one message, but " + messages);
        }
        return messages.get(0);
    }

    @Override
    public void close() {
        sqs.close();
        gateway.close();
    }
}
