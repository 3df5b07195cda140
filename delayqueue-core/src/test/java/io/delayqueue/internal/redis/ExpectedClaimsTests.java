package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.WakeUp;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest.Early;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of the consumers that wait for the same message, one is told when it is due, and the others a later time. */
class ExpectedClaimsTests extends ScriptTests {

    /** With the version of the envelopes that these consumers read. */
    private static final String FIELD = "expected1";

    private static final long RELY_MICROS = 900_000;
    private static final long MOST_LATE_MICROS = 20_000;
    private static final long SOON_MICROS = 800_000;
    /** An older consumer comes this much later for a message of a newer version. */
    private static final long HEAD_START_MICROS = 250_000;

    private static final int ROUNDS = 5;

    private final BlockingQueue<Long> wakeUps = new LinkedBlockingQueue<>();
    private AutoCloseable listening = () -> {};

    @BeforeEach
    void listen() {
        listening = store.listen(PARTITION, wakeUps::add);
        assertThat(nextWakeUp()).isZero();
    }

    @AfterEach
    void stopListening() throws Exception {
        listening.close();
    }

    @Test
    void oneComesWhenTheMessageIsDueAndTheOthersLater() {
        beforeItIsDue(due -> {
            schedule(at("a", due));

            assertThat(expectedAt(claim("c1"))).isEqualTo(due);
            assertThat(expectedAt(claim("c2"))).isEqualTo(due + RELY_MICROS);
            assertThat(expectedAt(claim("c3"))).isEqualTo(due + RELY_MICROS);
            assertThat(expectedAt(claim("c1"))).as("the same once more").isEqualTo(due);
            assertThat(listed()).containsExactly("c1", "c2", "c3");
        });
    }

    @Test
    void eachComesForAnotherMessage() {
        beforeItIsDue(due -> {
            schedule(at("a", due), at("b", due + 100_000), at("c", due + 200_000), at("far", due + RELY_MICROS + 1));

            assertThat(expectedAt(claim("c1"))).isEqualTo(due);
            assertThat(expectedAt(claim("c2"))).isEqualTo(due + 100_000);
            assertThat(expectedAt(claim("c3"))).isEqualTo(due + 200_000);
            assertThat(expectedAt(claim("c4"))).isEqualTo(due + RELY_MICROS);
        });
    }

    @Test
    void messagesThatAreClaimedTogetherNeedOneConsumer() {
        beforeItIsDue(due -> {
            schedule(at("a", due), at("b", due + 10_000), at("c", due + 100_000));
            Early early = new Early(Duration.ofMillis(25), 5);

            assertThat(expectedAt(claim("c1", 10, early))).isEqualTo(due);
            assertThat(expectedAt(claim("c2", 10, early))).isEqualTo(due + 100_000);
        });
    }

    @Test
    void aMessageBetweenThoseThatOthersComeForFallsToTheConsumerThatFindsIt() {
        beforeItIsDue(due -> {
            schedule(at("a", due), at("c", due + 200_000));
            claim("c1");
            claim("c2");
            schedule(at("b", due + 100_000));
            get(store.cancel(PARTITION, List.of("a")));

            assertThat(expectedAt(claim("c1"))).isEqualTo(due + 100_000);
        });
    }

    @Test
    void aConsumerWithoutCapacityWakesThoseThatWouldComeTooLate() {
        beforeItIsDue(due -> {
            schedule(at("a", due), at("b", due + 100_000));
            claim("c1");
            claim("c2");
            assertThat(nextWakeUp()).as("that of the new messages").isPositive();

            assertThat(claim("c1", 0).isExpected()).isFalse();

            assertThat(nextWakeUp()).isBetween(1L, SOON_MICROS);
            assertThat(listed()).containsExactly("c2");
        });
    }

    @Test
    void aFullConsumerWakesThoseThatWouldComeTooLate() {
        beforeItIsDue(due -> {
            schedule(at("c", due));
            claim("c2");
            schedule(message("a"), message("b"));
            assertThat(nextWakeUp()).isPositive();
            assertThat(nextWakeUp()).isZero();

            assertThat(ids(claim("c1", 1))).containsExactly("a");

            assertThat(nextWakeUp()).isZero();
            assertThat(listed()).containsExactly("c2");
        });
    }

    /** Else it would come for the next message, too, and take more of them than the others. */
    @Test
    void aFullConsumerGoesBehindTheOthers() {
        beforeItIsDue(due -> {
            schedule(at("b", due));
            claim("c2");
            schedule(message("a"));

            ClaimAnswer answer = claim("c1", 1);

            assertThat(ids(answer)).containsExactly("a");
            assertThat(expectedAt(answer)).isEqualTo(due + RELY_MICROS);
            assertThat(listed()).containsExactly("c2", "c1");
        });
    }

    @Test
    void nobodyIsWokenWhereAnotherOneComesInTimeOrNobodyWaits() {
        beforeItIsDue(due -> {
            schedule(at("a", due), at("b", due + 100_000));
            claim("c1");
            claim("c2");
            assertThat(nextWakeUp()).as("that of the new messages").isPositive();

            claim("c2", 0);
            claim("c1", 0);

            schedule(message("mark"));
            assertThat(nextWakeUp()).as("the mark's").isZero();
            assertThat(listed()).isEmpty();
        });
    }

    @Test
    void nobodyIsExpectedForAMessageThatIsFarAway() {
        beforeItIsDue(due -> {
            schedule(at("a", due));
            claim("c1");
            get(store.cancel(PARTITION, List.of("a")));
            schedule(message("a").delay(HOUR));

            assertThat(claim("c1").isExpected()).isFalse();
            assertThat(claim("c2").isExpected()).isFalse();

            assertThat(raw.meta()).doesNotContainKey(FIELD);
        });
    }

    /** Such as after a cancellation. Others would come too late for it if the one that knows of it had no room. */
    @Test
    void oneIsExpectedForAMessageThatIsFarAwayWhereOthersComeLater() {
        beforeItIsDue(due -> {
            schedule(at("a", due), at("b", due + RELY_MICROS - 100_000));
            claim("c1");
            redis.hset(raw.name(":meta"), FIELD, due + ":c1," + (due + RELY_MICROS) + ":c2");
            get(store.cancel(PARTITION, List.of("a")));

            assertThat(expectedAt(claim("c1"))).isEqualTo(due + RELY_MICROS - 100_000);

            assertThat(listed()).containsExactly("c1", "c2");
        });
    }

    /** It may leave several suspects, of which each process takes one at a time. */
    @Test
    void allComeForTheEndOfALease() {
        beforeItIsDue(due -> {
            schedule(message("x"), at("a", due), at("b", due + 400_000));
            assertThat(ids(claim("dead", 1))).containsExactly("x");
            redis.zadd(raw.name(":leased"), due + 50_000, "x");

            assertThat(expectedAt(claim("c1"))).isEqualTo(due);
            assertThat(expectedAt(claim("c2"))).isEqualTo(due + 50_000);
            assertThat(expectedAt(claim("c3"))).isEqualTo(due + 50_000);
            get(store.cancel(PARTITION, List.of("a")));
            assertThat(expectedAt(claim("c1"))).isEqualTo(due + 50_000);
            assertThat(expectedAt(claim("c2"))).isEqualTo(due + 50_000);
        });
    }

    /** They claim none of the messages that only a newer version can read, and would have them wait for seconds. */
    @Test
    void consumersThatReadAnotherEnvelopeVersionAreNotReliedOn() {
        beforeItIsDue(due -> {
            schedule(at("a", due));
            redis.hset(raw.name(":meta"), "expected2", due + ":newer");

            assertThat(expectedAt(claim("c1"))).isEqualTo(due);

            assertThat(listed()).containsExactly("c1");
            assertThat(raw.meta()).containsEntry("expected2", due + ":newer");
        });
    }

    /** Messages that these consumers can read are behind it, and would be later than a second if the expected consumer died. */
    @Test
    void aMessageOfANewerVersionInFrontMakesNobodyComeLater() {
        Runnable prepare = () -> {
            for (int consumer = 1; consumer <= 5; consumer++) {
                schedule(batch("held" + consumer, 0, 20));
                assertThat(ids(claim("c" + consumer, 20))).hasSize(20);
            }
            deferOne();
        };
        beforeItIsDue(prepare, SOON_MICROS - HEAD_START_MICROS, due -> {
            schedule(at("newer", due));
            makeNewer("newer");
            schedule(batch("ours", due + 10_000, 30));

            assertThat(expectedAt(claim("c1"))).isEqualTo(due + HEAD_START_MICROS);

            for (int consumer = 2; consumer <= 5; consumer++) {
                assertThat(expectedAt(claim("c" + consumer))).isEqualTo(due + RELY_MICROS);
            }
        });
    }

    /** Else this consumer would defer it before its own consumers claim it. */
    @Test
    void nobodyIsExpectedWhenAMessageOfANewerVersionIsDue() {
        beforeItIsDue(due -> {
            deferOne();
            schedule(at("a", due), at("newer", due + 100_000));
            makeNewer("newer");

            assertThat(expectedAt(claim("c1"))).isEqualTo(due);
            assertThat(expectedAt(claim("c2"))).isEqualTo(due + 100_000 + HEAD_START_MICROS);
        });
    }

    @Test
    void nobodyIsExpectedWhileTheTopicIsPaused() {
        beforeItIsDue(due -> {
            schedule(at("a", due));
            claim("c1");
            get(store.setPaused(PARTITION, true));

            assertThat(claim("c1").isExpected()).isFalse();

            assertThat(listed()).isEmpty();
            get(store.setPaused(PARTITION, false));
        });
    }

    /** They could not be woken if the one that is expected has no room. */
    @Test
    void consumersWithoutWakeUpsRelyOnNobody() {
        try (RedisMessageStore polling = open(options().wakeUp(WakeUp.POLL))) {
            beforeItIsDue(due -> {
                schedule(at("a", due));
                claim("c1");

                ClaimAnswer answer = get(polling.claim(
                        PARTITION, StoreCalls.claimRequest(new CallId("c2", 1, false), 10, LEASE, 3, null)));

                assertThat(answer.isExpected()).isFalse();
                assertThat(answer.timeMicros() + answer.waitMicros()).isEqualTo(due);
            });
        }
    }

    @Test
    void aClaimThatDidNotComeIsReliedOnNoLonger() {
        beforeItIsDue(due -> {
            schedule(at("a", due));
            redis.hset(raw.name(":meta"), FIELD, (nowMicros() - MOST_LATE_MICROS - 1) + ":dead");

            assertThat(expectedAt(claim("c1"))).isEqualTo(due);

            assertThat(listed()).containsExactly("c1");
        });
    }

    /** It may be on its way: a claim that fills its consumer meanwhile must not wake all others. */
    @Test
    void aClaimThatIsALittleLateIsReliedOn() {
        beforeItIsDue(due -> {
            schedule(at("a", due));
            long expectedAt;
            ClaimAnswer answer;
            do {
                expectedAt = nowMicros();
                redis.hset(raw.name(":meta"), FIELD, expectedAt + ":late");
                answer = claim("c1");
            } while (answer.timeMicros() - expectedAt >= MOST_LATE_MICROS);

            assertThat(expectedAt(answer)).isEqualTo(due + RELY_MICROS);
        });
    }

    @Test
    void aClaimThatEndsLeasesOrIsRepeatedLeavesTheConsumerExpected() {
        beforeItIsDue(due -> {
            schedule(at("a", due), message("x"));
            ClaimAnswer first = claim("c1", 2);
            assertThat(first.isExpected()).isTrue();
            CallId same = new CallId("c1", callNumbers.get(), true);
            assertThat(ids(claim(StoreCalls.claimRequest(same, 0, LEASE, 3, null))))
                    .containsExactly("x");
            assertThat(claim(StoreCalls.claimRequest(same, 0, LEASE, 3, null)).isExpected())
                    .isTrue();
            redis.zadd(raw.name(":leased"), 4, "x");

            ClaimAnswer ending = claim("c1", 0);

            assertThat(ending.leaseExpired()).containsExactly("x");
            assertThat(ending.isExpected()).isTrue();
            assertThat(claim("c1", 0).isExpected()).isFalse();
        });
    }

    @Test
    void theListIsBounded() {
        beforeItIsDue(due -> {
            schedule(at("a", due));
            redis.hset(
                    raw.name(":meta"),
                    FIELD,
                    IntStream.range(0, 40)
                            .mapToObj(i -> (due + 1_000_000 + i) + ":other" + i)
                            .collect(Collectors.joining(",")));

            assertThat(expectedAt(claim("c1"))).isEqualTo(due);

            assertThat(listed()).hasSize(32).startsWith("c1", "other0");
        });
    }

    /** A stall of the machine may last until a message is due: then the test begins again. */
    private void beforeItIsDue(LongConsumer test) {
        beforeItIsDue(() -> {}, SOON_MICROS, test);
    }

    private void beforeItIsDue(Runnable prepare, long soonMicros, LongConsumer test) {
        for (int round = 1; ; round++) {
            prepare.run();
            long due = nowMicros() + soonMicros;
            try {
                test.accept(due);
                return;
            } catch (AssertionError | ConditionTimeoutException e) {
                if (nowMicros() < due || round == ROUNDS) {
                    throw e;
                }
                redis.keys(raw.name("*")).forEach(redis::del);
                wakeUps.clear();
            }
        }
    }

    private static OutgoingMessage.Builder at(String id, long micros) {
        return message(id).dueAt(Micros.instant(micros));
    }

    /** Messages that are due one after the other, a microsecond apart. */
    private static List<OutgoingMessage> batch(String prefix, long firstMicros, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> at(prefix + "-" + i, firstMicros + i).build())
                .toList();
    }

    /** Only then consumers look for messages of newer versions. */
    private void deferOne() {
        schedule(message("deferred"));
        makeNewer("deferred");
        assertThat(claim("c1").deferred()).isEqualTo(1);
        get(store.cancel(PARTITION, List.of("deferred")));
    }

    /** As a newer version would have written it. */
    private void makeNewer(String id) {
        String body = redis.hget(raw.name(":messages"), id);
        redis.hset(raw.name(":messages"), id, "2" + body.substring(1));
    }

    private ClaimAnswer claim(String consumer) {
        return claim(consumer, 10);
    }

    private ClaimAnswer claim(String consumer, int slots) {
        return claim(consumer, slots, StoreCalls.NOT_EARLY);
    }

    private ClaimAnswer claim(String consumer, int slots, Early early) {
        CallId callId = new CallId(consumer, callNumbers.incrementAndGet(), false);
        return claim(StoreCalls.claimRequest(callId, slots, 0, LEASE, 3, null, early));
    }

    private static long expectedAt(ClaimAnswer answer) {
        assertThat(answer.isExpected()).isTrue();
        return answer.timeMicros() + answer.expectedMicros();
    }

    /** The expected consumers, the first one first. */
    private List<String> listed() {
        return Arrays.stream(raw.meta().getOrDefault(FIELD, "").split(","))
                .filter(each -> !each.isEmpty())
                .map(each -> each.substring(each.indexOf(':') + 1))
                .toList();
    }

    private long nextWakeUp() {
        return await().until(wakeUps::poll, Objects::nonNull);
    }
}
