package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.callback.Receiver.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many due messages of two targets in one topic, of which one is unavailable. */
@ExtendWith(EmbeddedRedisExtension.class)
class ManyCallbacksTests {

    private static final int MANY = 1_500;
    private static final int FEW = 300;
    private static final int HOSTS = 64;
    private static final int PARALLELISM = 10;
    private static final int FAILURES = 5;

    private EmbeddedRedis redis;
    private Receiver receiver;
    private CallbackInstance instance;
    private final CountDownLatch testEnds = new CountDownLatch(1);

    @BeforeEach
    void start(EmbeddedRedis server) throws Exception {
        redis = server;
        receiver = new Receiver();
    }

    @AfterEach
    void stop() {
        testEnds.countDown();
        instance.close();
        receiver.close();
    }

    private void instance() {
        // a message has two attempts: if breaks cost attempts, there would be dead letters
        instance = CallbackInstance.start(
                redis,
                receiver,
                host -> {
                    if (host.startsWith("unresolved")) {
                        awaitEnd();
                    }
                    return host;
                },
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.callbacks.hooks.max-attempts=2",
                "delayqueue.callbacks.hooks.concurrency=40",
                "delayqueue.gateway.callbacks.flow.parallelism=" + PARALLELISM,
                "delayqueue.gateway.callbacks.flow.failures=" + FAILURES,
                // none of these ends while a test runs
                "delayqueue.gateway.callbacks.flow.initial-break=1h",
                "delayqueue.gateway.callbacks.flow.max-break=1h",
                "delayqueue.gateway.callbacks.connect-timeout=10m",
                "delayqueue.gateway.callbacks.response-timeout=10m",
                "delayqueue.gateway.callbacks.total-timeout=10m");
    }

    private void awaitEnd() {
        try {
            testEnds.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param troubled URL of those that come first, and are many more */
    private void schedule(String troubled) {
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < MANY + FEW; i++) {
            String url = i < MANY ? troubled : "http://well.example:" + receiver.port() + "/";
            messages.add(OutgoingMessage.to("hooks")
                    .payload(new byte[] {'1'})
                    .header(CallbackMessageHeaders.URL, url)
                    .build());
        }
        assertThat(instance.client().scheduleAll(messages)).hasSize(MANY + FEW);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://down.example:1/", "http://failing.example:PORT/"})
    void aHostThatIsDownCostsFewAttemptsAndNoOtherHostItsTurn(String troubled) {
        instance();
        receiver.answer(request -> Reply.of(request.host().equals("well.example") ? 200 : 500));
        schedule(troubled.replace("PORT", String.valueOf(receiver.port())));

        await().atMost(Duration.ofSeconds(60)).until(() -> receiver.requestsOf("well.example") == FEW);
        // a request is counted before it is answered
        await().atMost(Duration.ofSeconds(60)).until(() -> stats().totals().acked() >= FEW);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> stats().totals().postponed() >= MANY - PARALLELISM - FAILURES);
        TopicStats stats = stats();
        assertThat(stats.totals().acked()).isEqualTo(FEW);
        assertThat(stats.totals().retried())
                .as("attempts of the host that is down")
                .isBetween((long) FAILURES, (long) PARALLELISM + FAILURES);
        assertThat(stats.dead()).isZero();
        assertThat(stats.unaccounted()).isZero();
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"http://silent.example:PORT/", "http://unresolved.example:PORT/"})
    void aHostThatDoesNotAnswerHoldsAsManySlotsAsItMayHave(String troubled) {
        instance();
        receiver.answer(request -> request.host().equals("well.example") ? Reply.of(200) : Receiver.SILENCE);
        schedule(troubled.replace("PORT", String.valueOf(receiver.port())));

        await().atMost(Duration.ofSeconds(60)).until(() -> receiver.requestsOf("well.example") == FEW);
        assertThat(receiver.requestsOf("silent.example")).isLessThanOrEqualTo(PARALLELISM);
        assertThat(stats().totals().retried()).isZero();
    }

    /** More hosts, and more messages of each, than the topic has slots: names that are not answered, and answers that do not come. */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"unresolved-", "silent-"})
    void manyHostsThatDoNotAnswerLeaveSlotsToThoseThatDo(String troubled) {
        instance();
        receiver.answer(request -> request.host().equals("well.example") ? Reply.of(200) : Receiver.SILENCE);
        schedule("well.example", 1);
        await().atMost(Duration.ofSeconds(60)).until(() -> stats().totals().acked() == 1);
        for (int i = 0; i < HOSTS; i++) {
            schedule(troubled + i + ".example", PARALLELISM);
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> stats().totals().postponed() >= HOSTS);
        for (int i = 1; i <= 20; i++) {
            schedule("well.example", 1);
            int count = i;
            await().atMost(Duration.ofSeconds(30)).until(() -> receiver.requestsOf("well.example") > count);
        }
        TopicStats stats = stats();
        assertThat(stats.dead()).as("messages of hosts that do not answer").isZero();
        assertThat(stats.unaccounted()).isZero();
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("delayqueue-callback-host-")))
                .hasSizeLessThanOrEqualTo(HOSTS + 1);
    }

    private void schedule(String host, int count) {
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(OutgoingMessage.to("hooks")
                    .payload(new byte[] {'1'})
                    .header(CallbackMessageHeaders.URL, "http://" + host + ":" + receiver.port() + "/")
                    .build());
        }
        assertThat(instance.client().scheduleAll(messages)).hasSize(count);
    }

    @Test
    void aRateIsKept() {
        instance = CallbackInstance.start(redis, receiver, "delayqueue.gateway.callbacks.flows[hook.example].rate=20");
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            messages.add(OutgoingMessage.to("hooks").payload(new byte[] {'1'}).build());
        }
        long begun = System.nanoTime();
        assertThat(instance.client().scheduleAll(messages)).hasSize(200);
        await().atMost(Duration.ofSeconds(30)).until(() -> receiver.requests().size() >= 40);

        // a burst of 20, and 20 a second; further ones come while this thread waits for a core
        int requests = receiver.requests().size();
        double seconds = (System.nanoTime() - begun) / 1e9;
        assertThat(requests).isLessThanOrEqualTo((int) Math.ceil(20 + 20 * seconds));
    }

    private TopicStats stats() {
        return instance.client().stats("hooks");
    }

    /** Without an order of return, each message is claimed and postponed again and again. */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"rate=100", "parallelism=5"})
    void manyMessagesOfASlowTargetAreClaimedAboutTwiceEach(String limit) {
        instance = CallbackInstance.start(
                redis,
                receiver,
                "delayqueue.gateway.callbacks.flows[hook.example]." + limit,
                // more messages in flight than the target may have
                "delayqueue.callbacks.hooks.allow-message-url=true");
        receiver.answer(request -> {
            if (!limit.startsWith("rate")) {
                awaitAtMost(50);
            }
            return Reply.of(200);
        });
        int many = 2_000;
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            messages.add(OutgoingMessage.to("hooks").payload(new byte[] {'1'}).build());
        }
        long before = commands();
        assertThat(instance.client().scheduleAll(messages)).hasSize(many);
        await().atMost(Duration.ofSeconds(120)).until(() -> stats().totals().acked() == many);

        long postponed = stats().totals().postponed();
        System.out.println(limit + ": postponed " + postponed + ", commands " + (commands() - before));
        assertThat(postponed).as("claims in vain").isLessThan(2L * many);
        assertThat(commands() - before).as("scripts").isLessThan(6L * many);
        assertThat(receiver.requests()).hasSize(many);
    }

    private void awaitAtMost(long millis) {
        try {
            testEnds.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long commands() {
        try (RedisClient admin = RedisClient.create(redis.uri());
                StatefulRedisConnection<String, String> connection = admin.connect()) {
            return connection
                    .sync()
                    .info("commandstats")
                    .lines()
                    .filter(line -> line.startsWith("cmdstat_evalsha:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll(".*?calls=(\\d+).*", "$1")))
                    .sum();
        }
    }
}
