package io.delayqueue.gateway.sqs.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.ClaimDelivery;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.security.CallerShares;
import io.delayqueue.gateway.sqs.limit.TopicsInUse;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Leases of messages between their claim and the end of their answer, by Redis' clock. */
@ExtendWith(EmbeddedRedisExtension.class)
class ClaimLeasesTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration DELIVERY = Duration.ofSeconds(20);
    private static final Duration VISIBILITY = Duration.ofSeconds(60);

    private RedisClient connections;
    private DelayQueueClient client;
    private SqsConsumers consumers;
    private Duration visibility = VISIBILITY;
    private int maxReceives = 3;
    private final AnswerThreads answers = new AnswerThreads(10);

    @BeforeEach
    void start(EmbeddedRedis redis) {
        connections = RedisClient.create(redis.uri());
        client = DelayQueueClient.create(
                connections, DelayQueueOptions.builder().commandTimeout(WAIT).build());
        consumers = new SqsConsumers(
                client,
                DELIVERY,
                new TopicsInUse(10),
                new CallerShares(10),
                topic -> new SqsConsumers.Terms(maxReceives, visibility),
                answers);
        consumers.start();
    }

    @AfterEach
    void stop() {
        consumers.destroy();
        answers.close();
        client.close();
        connections.shutdown(0, 1, TimeUnit.SECONDS);
    }

    private Instant leaseEnd(PulledMessage message) {
        return client.find(message.message().topic(), message.message().id())
                .map(MessageInfo::leaseDeadline)
                .orElseThrow();
    }

    private List<PulledMessage> claim(String topic) throws Exception {
        client.schedule(OutgoingMessage.to(topic).payload(new byte[] {'x'}).build());
        List<PulledMessage> claimed =
                consumers.of(topic).receive(topic, 1, WAIT).get(2 * WAIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(claimed).hasSize(1);
        return claimed;
    }

    private void assertClaimedFor(Duration lease, String topic) throws Exception {
        Instant before = client.stats(topic).time();
        PulledMessage message = claim(topic).get(0);
        assertThat(leaseEnd(message).minus(lease))
                .as(topic)
                .isBetween(before, client.stats(topic).time());
    }

    /** So an instance that dies before its answer hides its messages for the lease of the claim only. */
    @Test
    void visibilityTimeoutIsTheLeaseUnlessItIsLongOrShort() throws Exception {
        assertClaimedFor(VISIBILITY, "claimed-whole");
        visibility = DELIVERY;
        assertClaimedFor(DELIVERY, "claimed-equal");
        visibility = VISIBILITY.plusSeconds(1);
        assertClaimedFor(DELIVERY, "claimed-long");
        visibility = DELIVERY.minusSeconds(1);
        assertClaimedFor(DELIVERY, "claimed-short");
    }

    /** Its answer is late, or its claim was made for another receive, or was repeated since its reply was lost. */
    @Test
    void messageWhoseLeaseBeganEarlierHasTheWholeVisibilityTimeout() throws Exception {
        List<PulledMessage> claimed = claim("early");
        PulledMessage message = claimed.get(0);
        assertThat(message.leaseLeft()).isBetween(VISIBILITY.dividedBy(2), VISIBILITY);
        long nineTenths = System.nanoTime() + VISIBILITY.toNanos() * 9 / 10;
        Instant end = leaseEnd(message);
        Instant written = client.stats("early").time();

        ClaimDelivery.toKeepLeases(
                        consumers.of("early"),
                        List.of(new PulledMessage(message.message(), message.receipt(), nineTenths)),
                        VISIBILITY)
                .confirm();

        await().atMost(WAIT).until(() -> leaseEnd(message).isAfter(end));
        assertThat(leaseEnd(message)).isAfterOrEqualTo(written.plus(VISIBILITY));
    }

    /** Or the end of its lease would look like that of one that nobody had. */
    @Test
    void messageOfASingleReceiveIsExtended() throws Exception {
        maxReceives = 1;
        List<PulledMessage> claimed = claim("single");
        Instant end = leaseEnd(claimed.get(0));

        ClaimDelivery.toKeepLeases(consumers.of("single"), claimed, VISIBILITY).confirm();

        await().atMost(WAIT).until(() -> leaseEnd(claimed.get(0)).isAfter(end));
    }

    @Test
    void longerVisibilityTimeoutThanThatOfTheClaimIsGiven() throws Exception {
        List<PulledMessage> claimed = claim("changed");
        PullConsumers of = consumers.of("changed");
        Duration changed = Duration.ofMinutes(10);
        Instant written = client.stats("changed").time();

        ClaimDelivery.toKeepLeases(of, claimed, changed).confirm();

        await().atMost(WAIT).until(() -> !leaseEnd(claimed.get(0)).isBefore(written.plus(changed)));
    }
}
