package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.InFlightMessages;
import io.delayqueue.InFlightMessages.Holder;
import io.delayqueue.InFlightMessages.Message;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Extension.Mode;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionsChangedException;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The holder of a message, and the time of its claim, are known from the recorded calls of consumers. */
class InFlightScriptTests extends ScriptTests {

    private static final String OTHER = "host:2:x";

    @Test
    void nothingInFlight() {
        schedule(message("pending"));

        InFlightMessages none = get(store.inFlight(PARTITION, 10));

        assertThat(none.holders()).isEmpty();
        assertThat(none.messages()).isEmpty();
    }

    @Test
    void eachMessageHasTheConsumerThatClaimedIt() {
        Claimed first = claimBy(CONSUMER, "a");
        Claimed second = claimBy(OTHER, "b");
        claimBy(CONSUMER, "c");

        InFlightMessages inFlight = get(store.inFlight(PARTITION, 10));

        assertThat(inFlight.messages()).extracting(Message::id).containsExactly("a", "b", "c");
        assertThat(inFlight.messages()).extracting(Message::holder).containsExactly(CONSUMER, OTHER, CONSUMER);
        assertThat(inFlight.messages()).extracting(Message::attempt).containsOnly(1);
        assertThat(inFlight.messages())
                .allSatisfy(message -> assertThat(message.bytes()).isPositive());
        assertThat(inFlight.messages().get(0).leaseUntil())
                .isEqualTo(Micros.instant(first.lease().receipt()));
        assertThat(inFlight.holders())
                .containsExactlyInAnyOrder(
                        new Holder(CONSUMER, 2, claimedAt(first)), new Holder(OTHER, 1, claimedAt(second)));
    }

    @Test
    void sinceOutlastsRenewals() {
        Claimed a = claimBy(CONSUMER, "a");
        Claimed b = claimBy(CONSUMER, "b");
        Duration age = Duration.ofMinutes(10);
        List<Long> renewed = extend(
                CONSUMER,
                new Extension(a.lease(), HOUR, Mode.RENEW, age),
                new Extension(b.lease(), HOUR, Mode.RENEW, Duration.ofSeconds(20)));
        claimBy(CONSUMER, "c");

        InFlightMessages inFlight = get(store.inFlight(PARTITION, 10));

        assertThat(renewed).doesNotHaveDuplicates();
        assertThat(inFlight.messages()).extracting(Message::holder).containsOnly(CONSUMER);
        assertThat(inFlight.messages()).extracting(Message::id).containsExactly("c", "a", "b");
        Instant tenMinutesAgo = inFlight.time().minus(age);
        assertThat(inFlight.messages().get(1).since()).isCloseTo(tenMinutesAgo, within(30, ChronoUnit.SECONDS));
        assertThat(Duration.between(
                        inFlight.messages().get(1).since(),
                        inFlight.messages().get(2).since()))
                .isEqualTo(age.minusSeconds(20));
        assertThat(inFlight.holders())
                .containsExactly(
                        new Holder(CONSUMER, 3, inFlight.messages().get(1).since()));
    }

    @Test
    void aRepeatedRenewalTellsTheSameReceipts() {
        Claimed a = claimBy(CONSUMER, "a");
        Claimed b = claimBy(CONSUMER, "b");
        List<Extension> renewals = List.of(
                new Extension(a.lease(), HOUR, Mode.RENEW, NOW), new Extension(b.lease(), HOUR, Mode.RENEW, NOW));
        CallId call = nextCall();

        List<Long> receipts = get(store.extend(PARTITION, call, renewals));

        assertThat(get(store.extend(PARTITION, repeated(call), renewals))).isEqualTo(receipts);
    }

    @Test
    void whoExtendsByReceiptHoldsTheMessage() {
        Claimed a = claimBy(CONSUMER, "a");
        extend(OTHER, new Extension(a.lease(), HOUR, Mode.KEEP_RECEIPT));

        assertThat(get(store.inFlight(PARTITION, 10)).messages())
                .singleElement()
                .satisfies(message -> {
                    assertThat(message.holder()).isEqualTo(OTHER);
                    assertThat(message.since()).isNull();
                });
    }

    @Test
    void messagesOfADeadConsumerAreItsUntilAnotherOneClaimsThem() {
        schedule(message("a"));
        assertThat(get(store.claim(
                                PARTITION,
                                StoreCalls.claimRequest(
                                        new CallId(OTHER, 1, false), 1, Duration.ofMillis(200), 3, null)))
                        .claimed())
                .hasSize(1);

        assertThat(get(store.inFlight(PARTITION, 10)).messages())
                .extracting(Message::holder)
                .containsExactly(OTHER);
        claimUntil(answer -> !answer.claimed().isEmpty());

        assertThat(get(store.inFlight(PARTITION, 10)).messages())
                .singleElement()
                .satisfies(message -> {
                    assertThat(message.holder()).isEqualTo(CONSUMER);
                    assertThat(message.attempt()).isEqualTo(2);
                });
    }

    @Test
    void theLastSixteenClaimsAreKnown() {
        IntStream.range(0, 20).forEach(i -> claimBy(CONSUMER, "m" + i));

        InFlightMessages inFlight = get(store.inFlight(PARTITION, 100));

        assertThat(inFlight.messages()).hasSize(20);
        assertThat(inFlight.messages().subList(0, 4))
                .extracting(Message::holder)
                .containsOnlyNulls();
        assertThat(inFlight.messages().subList(4, 20))
                .extracting(Message::holder)
                .containsOnly(CONSUMER);
        assertThat(inFlight.holders()).extracting(Holder::messages).containsExactly(16L);
    }

    /** Messages of more claims than deadlines are recorded share the last one: all have a holder, those no longer since when. */
    @Test
    void allMessagesOfOneRenewalHaveTheirHolder() {
        List<Extension> renewals = new ArrayList<>();
        IntStream.range(0, 80)
                .forEach(i ->
                        renewals.add(new Extension(claimBy(CONSUMER, "m" + i).lease(), HOUR, Mode.RENEW, NOW)));
        extend(CONSUMER, renewals.toArray(Extension[]::new));

        InFlightMessages inFlight = get(store.inFlight(PARTITION, 100));

        assertThat(inFlight.holders()).extracting(Holder::messages).containsExactly(80L);
        assertThat(inFlight.messages().subList(0, 63))
                .extracting(Message::since)
                .doesNotContainNull();
        assertThat(inFlight.messages().subList(63, 80))
                .extracting(Message::since)
                .containsOnlyNulls();
    }

    @Test
    void theLastSixtyFourRenewedLeasesAreKnown() {
        IntStream.range(0, 80).forEach(i -> {
            Claimed claimed = claimBy(CONSUMER, "m" + i);
            extend(CONSUMER, new Extension(claimed.lease(), HOUR, Mode.RENEW, NOW));
        });

        InFlightMessages inFlight = get(store.inFlight(PARTITION, 100));

        assertThat(inFlight.messages().subList(0, 16))
                .extracting(Message::holder)
                .containsOnlyNulls();
        assertThat(inFlight.messages().subList(16, 80))
                .extracting(Message::holder)
                .containsOnly(CONSUMER);
    }

    /** A claim of a consumer that holds nothing else writes no more than before there were holders. */
    @Test
    void aClaimForgetsTheClaimsBeforeWhoseLeasesEnded() {
        Claimed a = claimBy(CONSUMER, "a");
        get(store.ack(PARTITION, nextCall(), List.of(a.lease())));
        Claimed b = claimBy(CONSUMER, "b");

        assertThat(raw.meta().get("claim:" + CONSUMER)).endsWith(":" + b.lease().receipt() + "::" + Micros.of(LEASE));
    }

    @Test
    void equalDeadlinesOfTwoConsumersTellNothing() {
        Claimed a = claimBy(CONSUMER, "a");
        redis.hset(raw.name(":meta"), "extend:" + OTHER, "1:1::" + a.lease().receipt() + "-1");

        InFlightMessages inFlight = get(store.inFlight(PARTITION, 10));

        assertThat(inFlight.messages()).extracting(Message::holder).containsOnlyNulls();
        assertThat(inFlight.holders()).isEmpty();
    }

    @Test
    void aLeaseOfAnEarlierVersionHasNoHolder() {
        Claimed a = claimBy(CONSUMER, "a");
        redis.hset(raw.name(":meta"), "claim:" + CONSUMER, "9:" + a.lease().receipt());

        assertThat(get(store.inFlight(PARTITION, 10)).messages())
                .extracting(Message::holder)
                .containsOnlyNulls();
    }

    @Test
    void listsThoseWhoseLeasesEndFirst() {
        schedule(IntStream.range(0, 1_200)
                .mapToObj(i -> message("m" + i).build())
                .toList());
        IntStream.range(0, 3).forEach(i -> claim(request(400)));

        InFlightMessages inFlight = get(store.inFlight(PARTITION, 512));

        assertThat(inFlight.messages()).hasSize(512);
        assertThat(inFlight.messages()).extracting(Message::leaseUntil).isSorted();
        assertThat(inFlight.holders()).extracting(Holder::messages).containsExactly(1_200L);
    }

    @Test
    void anotherPartitionCountIsReported() {
        assertThatThrownBy(() -> get(store.inFlight(new Partition(TOPIC, 0, 2), 10)))
                .hasCauseInstanceOf(PartitionsChangedException.class);
    }

    private Claimed claimBy(String consumer, String id) {
        schedule(message(id));
        CallId call = new CallId(consumer, callNumbers.incrementAndGet(), false);
        List<Claimed> claimed =
                claim(StoreCalls.claimRequest(call, 1, LEASE, 3, null)).claimed();
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    private static Instant claimedAt(Claimed claimed) {
        return Micros.instant(claimed.lease().receipt()).minus(LEASE);
    }

    private List<Long> extend(String consumer, Extension... extensions) {
        return get(store.extend(
                PARTITION, new CallId(consumer, callNumbers.incrementAndGet(), false), List.of(extensions)));
    }
}
