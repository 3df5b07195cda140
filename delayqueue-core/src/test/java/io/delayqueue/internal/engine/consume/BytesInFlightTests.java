package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BytesInFlightTests {

    private static final int MIB = 1024 * 1024;
    private static final int MAX = 8 * MIB;

    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final BytesInFlight bytes = new BytesInFlight(MAX, timer);
    private final List<String> freed = new CopyOnWriteArrayList<>();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void aClaimGetsMoreThanItsMessagesAreLikelyToHave() {
        BytesInFlight.Share share = share("a");

        int first = share.reserve(100);
        assertThat(first).isBetween(100 * 4096, MessageStore.LARGEST_BYTES);
        for (int i = 0; i < 200; i++) {
            share.take(10);
        }
        share.release(first);

        assertThat(share.reserve(100))
                .as("after small messages")
                .isLessThan(first)
                .isGreaterThan(100 * 522);
    }

    @Test
    void noClaimGetsMoreThanAnAnswerMayHave() {
        assertThat(share("a").reserve(100_000)).isEqualTo(MessageStore.LARGEST_BYTES);
    }

    @Test
    void aThousandSubscriptionsShareTheBytesAndEachMayHaveOneMessage() {
        List<BytesInFlight.Share> shares = new ArrayList<>();
        List<Integer> reserved = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            shares.add(share("share" + i));
            reserved.add(shares.get(i).reserve(512));
        }

        assertThat(reserved).allSatisfy(each -> assertThat(each).isPositive());
        assertThat(reserved.stream()
                        .filter(each -> each > 1)
                        .mapToLong(each -> each)
                        .sum())
                .isLessThanOrEqualTo(MAX);
        assertThat(bytes.used()).isLessThanOrEqualTo(MAX + 1000);
        for (int i = 0; i < 1000; i++) {
            shares.get(i).release(reserved.get(i));
        }
        assertThat(bytes.used()).isZero();
    }

    @Test
    void aSubscriptionWithAMessageWaitsWhileTheBytesAreUsed() {
        BytesInFlight.Share large = share("large");
        large.take(MAX);
        BytesInFlight.Share small = share("small");
        int one = small.reserve(10);
        assertThat(one).as("one message, whatever its size").isEqualTo(1);
        small.take(100);
        small.release(one);

        assertThat(small.reserve(10)).isZero();
        assertThat(freed).isEmpty();
        large.free(MAX);

        Eventually.asserted(() -> assertThat(freed).containsExactly("small"));
        assertThat(small.reserve(10)).isGreaterThan(1);
    }

    @Test
    void aSubscriptionWhoseOwnMessageIsSettledNeedsNoOthers() {
        share("large").take(MAX);
        BytesInFlight.Share small = share("small");
        small.take(100);
        assertThat(small.reserve(10)).isZero();

        small.free(100);

        Eventually.asserted(() -> assertThat(freed).containsExactly("small"));
        assertThat(small.reserve(10)).isEqualTo(1);
    }

    @Test
    void thoseThatWaitGetTheirTurn() {
        BytesInFlight.Share large = share("large");
        large.take(MAX);
        List<BytesInFlight.Share> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            BytesInFlight.Share share = bytes.share(() -> {
                freed.add("share" + number);
                BytesInFlight.Share mine = waiting.get(number);
                mine.release(mine.reserve(1));
            });
            share.take(10);
            waiting.add(share);
            assertThat(share.reserve(1)).isZero();
        }

        large.free(MAX);

        Eventually.asserted(() -> assertThat(freed).hasSize(100));
        assertThat(freed).startsWith("share0", "share1", "share2");
    }

    /** As when their subscriptions were paused while they waited. */
    @Test
    void thoseThatClaimNothingPassTheirTurnOn() {
        BytesInFlight.Share large = share("large");
        large.take(MAX);
        for (int i = 0; i < 100; i++) {
            BytesInFlight.Share paused = share("paused" + i);
            paused.take(10);
            assertThat(paused.reserve(1)).isZero();
        }
        BytesInFlight.Share last = share("last");
        last.take(10);
        assertThat(last.reserve(1)).isZero();

        large.free(MAX);

        Eventually.asserted(() -> assertThat(freed).hasSize(101).last().isEqualTo("last"));
        assertThat(last.reserve(1)).isPositive();
    }

    @Test
    void aStoppedSubscriptionTakesNobodysTurn() {
        BytesInFlight.Share large = share("large");
        large.take(MAX);
        BytesInFlight.Share stopped = share("stopped");
        stopped.take(10);
        stopped.reserve(1);
        BytesInFlight.Share next = share("next");
        next.take(10);
        next.reserve(1);

        stopped.stop();
        large.free(MAX);

        Eventually.asserted(() -> assertThat(freed).containsExactly("next"));
    }

    private BytesInFlight.Share share(String name) {
        return bytes.share(() -> freed.add(name));
    }
}
