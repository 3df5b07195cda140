package io.delayqueue.gateway.sqs.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.sqs.action.SqsConsumers;
import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** One key can't use up what all share: queues, topics in use, tags, requests in a second. */
@ExtendWith(EmbeddedRedisExtension.class)
class KeyLimitsTests {

    private static final Duration WAIT = Duration.ofSeconds(30);

    private static SqsGateway gateway;
    private static SqsClient first;
    private static SqsClient other;

    private final ExecutorService clients = Executors.newCachedThreadPool();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = SqsGateway.start(
                redis,
                "delayqueue.gateway.sqs.max-queues-per-key=5",
                "delayqueue.gateway.sqs.max-queues-in-use-per-key=2",
                "delayqueue.gateway.sqs.keys.OTHER.secret=other-secret",
                "delayqueue.gateway.sqs.keys.OTHER.rights=produce,consume,operate",
                "delayqueue.gateway.sqs.keys.OTHER.topics=*");
        first = gateway.sqs();
        other = SqsGateway.client(gateway.gateway(), "OTHER", "other-secret");
    }

    @AfterEach
    void deleteQueues() {
        clients.shutdownNow();
        first.listQueues().queueUrls().forEach(url -> first.deleteQueue(request -> request.queueUrl(url)));
    }

    @AfterAll
    static void stop() {
        other.close();
        gateway.close();
    }

    private static void assertFails(String code, Runnable call, String... words) {
        assertThatExceptionOfType(SqsException.class).isThrownBy(call::run).satisfies(e -> {
            assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code);
            for (String word : words) {
                assertThat(e.getMessage()).contains(word);
            }
        });
    }

    private static String create(SqsClient client, String name) {
        return client.createQueue(request -> request.queueName(name)).queueUrl();
    }

    @Test
    void keyCreatesOnlySoManyQueues() {
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            urls.add(create(first, "limited" + i));
        }
        for (int i = 5; i < 100; i++) {
            String name = "limited" + i;
            assertFails("OverLimit", () -> create(first, name), "AKID", "max-queues-per-key");
        }
        assertThat(first.listQueues().queueUrls()).hasSize(5);
        assertThat(create(first, "limited0")).as("it exists").isEqualTo(urls.get(0));
        assertThat(create(other, "of-another")).endsWith("/of-another");
        first.deleteQueue(request -> request.queueUrl(urls.get(0)));
        create(first, "limited7");
        assertFails("OverLimit", () -> create(first, "limited0"), "AKID");
    }

    @Test
    void keyMakesOnlySoManyRequestsInASecond(EmbeddedRedis redis) {
        try (SqsGateway limited = SqsGateway.start(
                        redis,
                        "delayqueue.gateway.max-requests-per-second=1",
                        "delayqueue.gateway.sqs.keys.OTHER.secret=other-secret",
                        "delayqueue.gateway.sqs.keys.OTHER.rights=produce",
                        "delayqueue.gateway.sqs.keys.OTHER.topics=*");
                SqsClient hasty = unrepeating(limited, SqsGateway.KEY, SqsGateway.SECRET);
                SqsClient forger = unrepeating(limited, "OTHER", "a wrong secret");
                SqsClient quiet = unrepeating(limited, "OTHER", "other-secret")) {
            Map<String, Integer> answers = new ConcurrentHashMap<>();
            // no second passes in which they leave anything of a rate
            for (int i = 0; i < 12; i++) {
                SqsClient client = i % 4 == 0 ? forger : hasty;
                clients.execute(() -> {
                    while (!clients.isShutdown()) {
                        answers.merge(answer(client), 1, Integer::sum);
                    }
                });
            }
            await().atMost(WAIT)
                    .until(() -> answers.getOrDefault("403 RequestThrottled", 0) > 20
                            && answers.getOrDefault("403 SignatureDoesNotMatch", 0) > 20);
            String answer = answer(quiet);
            clients.shutdownNow();
            assertThat(answer)
                    .as("neither another key nor a forger uses up what it may")
                    .isEqualTo("ok");
        }
    }

    private static String answer(SqsClient client) {
        try {
            client.listQueues();
            return "ok";
        } catch (SqsException e) {
            return e.statusCode() + " " + e.awsErrorDetails().errorCode();
        } catch (SdkClientException e) {
            return "the end of the test";
        }
    }

    /** A client that does not try a refused request again. */
    private static SqsClient unrepeating(SqsGateway of, String keyId, String secret) {
        return SqsClient.builder()
                .endpointOverride(URI.create(of.endpoint()))
                .region(Region.EU_CENTRAL_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(keyId, secret)))
                .httpClient(UrlConnectionHttpClient.create())
                .overrideConfiguration(client -> client.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .build();
    }

    private CompletableFuture<Integer> receive(SqsClient client, String url) {
        return CompletableFuture.supplyAsync(
                () -> client.receiveMessage(request -> request.queueUrl(url).waitTimeSeconds(20))
                        .messages()
                        .size(),
                clients);
    }

    @Test
    @Tag("slow")
    void keyWaitsInOnlySoManyQueues() {
        List<String> urls =
                IntStream.range(0, 3).mapToObj(i -> create(first, "used" + i)).toList();
        first.sendMessage(request -> request.queueUrl(urls.get(2)).messageBody("held"));
        String held = first.receiveMessage(request ->
                        request.queueUrl(urls.get(2)).waitTimeSeconds(20).visibilityTimeout(600))
                .messages()
                .get(0)
                .receiptHandle();
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiting.add(receive(first, urls.get(i % 2)));
        }
        PullConsumers consumers =
                gateway.gateway().context().getBean(SqsConsumers.class).of("used0");
        await().atMost(WAIT).until(() -> consumers.callsUnderWay("used0") + consumers.callsUnderWay("used1") == 10);

        for (int i = 0; i < 20; i++) {
            assertFails(
                    "OverLimit",
                    () -> first.receiveMessage(request -> request.queueUrl(urls.get(2))),
                    "AKID",
                    "max-queues-in-use-per-key");
        }
        first.deleteMessage(request -> request.queueUrl(urls.get(2)).receiptHandle(held));
        assertThat(gateway.gateway().client().stats("used2").totals().acked())
                .as("an ack, while receives find no room")
                .isEqualTo(1);
        other.sendMessage(request -> request.queueUrl(urls.get(2)).messageBody("x"));
        assertThat(receive(other, urls.get(2)).join()).isEqualTo(1);
        for (int i = 0; i < 10; i++) {
            String url = urls.get(i % 2);
            other.sendMessage(request -> request.queueUrl(url).messageBody("x"));
        }
        waiting.forEach(CompletableFuture::join);
        await().atMost(WAIT)
                .ignoreExceptions()
                .until(() -> first.receiveMessage(request -> request.queueUrl(urls.get(2)))
                        .messages()
                        .isEmpty());
    }

    private static Map<String, String> tags(int from, int to) {
        return IntStream.range(from, to).boxed().collect(Collectors.toMap(i -> "tag" + i, i -> "v" + i));
    }

    private static void assertInvalid(Map<String, String> tags, String url) {
        assertFails(
                "InvalidParameterValue",
                () -> first.tagQueue(request -> request.queueUrl(url).tags(tags)));
    }

    @Test
    void tagsHaveTheBoundsOfSqs() {
        String url = create(first, "tagged");
        List<Map<String, String>> wrong = List.of(
                tags(0, 51),
                Map.of("k".repeat(129), "v"),
                Map.of("", "v"),
                Map.of("k", "v".repeat(257)),
                Map.of("aws:k", "v"),
                Map.of("k<", "v"),
                Map.of("k", "\u0001"));
        for (Map<String, String> tags : wrong) {
            assertInvalid(tags, url);
            assertFails(
                    "InvalidParameterValue",
                    () -> first.createQueue(
                            request -> request.queueName("never").tags(tags)));
        }
        first.tagQueue(
                request -> request.queueUrl(url).tags(Map.of("ä".repeat(128), "v".repeat(256), "a_.:/=+-@ 1", "")));
        first.tagQueue(request -> request.queueUrl(url).tags(tags(0, 48)));
        assertInvalid(tags(48, 49), url);
        first.tagQueue(request -> request.queueUrl(url).tags(tags(0, 1)));
        assertFails(
                "MissingParameter",
                () -> first.untagQueue(request -> request.queueUrl(url).tagKeys(List.of())));
        assertThat(first.listQueueTags(request -> request.queueUrl(url)).tags()).hasSize(50);
    }

    /** A queue that nobody created: a topic. */
    @Test
    void topicsQueueIsTagged() {
        String url = gateway.endpoint() + "/000000000000/of-java";
        gateway.client()
                .scheduleAsync(
                        OutgoingMessage.to("of-java").payload(new byte[0]).build())
                .join();
        await().atMost(WAIT)
                .untilAsserted(
                        () -> first.tagQueue(request -> request.queueUrl(url).tags(tags(0, 1))));
        assertThat(first.listQueueTags(request -> request.queueUrl(url)).tags()).isEqualTo(tags(0, 1));
    }

    @Test
    void changesAtTheSameTimeAreAllKept() {
        String url = create(first, "shared");
        Map<String, String> all = new HashMap<>();
        List<CompletableFuture<Void>> changes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Map<String, String> tag = tags(i, i + 1);
            all.putAll(tag);
            changes.add(CompletableFuture.runAsync(
                    () -> first.tagQueue(request -> request.queueUrl(url).tags(tag)), clients));
        }
        changes.forEach(CompletableFuture::join);
        assertThat(first.listQueueTags(request -> request.queueUrl(url)).tags()).isEqualTo(all);
    }
}
