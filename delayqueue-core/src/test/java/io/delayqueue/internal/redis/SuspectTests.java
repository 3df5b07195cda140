package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** A store with suspects: messages in flight when their consumers died, one of which may be what killed them. */
abstract class SuspectTests extends ScriptTests {

    static final Duration BRIEF = Duration.ofMillis(1);

    /** Puts messages among the suspects, as after a crash in the first of two attempts. */
    void makeSuspects(String... ids) {
        schedule(
                Arrays.stream(ids).map(id -> message(id).maxAttempts(2).build()).toList());
        claim(StoreCalls.claimRequest(nextCall(), ids.length, BRIEF, 3, null));
        await().pollInterval(Duration.ofMillis(2)).until(() -> {
            claim(request(0));
            return raw.suspects().size() == ids.length;
        });
    }

    /** Claims the message, which must be in that attempt, and lets its lease expire. */
    ClaimAnswer crash(String id, int attempt) {
        List<Claimed> claimed = claim(StoreCalls.claimRequest(
                        nextCall(), 1, 0, BRIEF, 3, null, StoreCalls.NOT_EARLY, true, MessageStore.LARGEST_BYTES))
                .claimed();
        assertThat(claimed)
                .extracting(each -> each.message().id(), each -> each.message().attempt())
                .containsExactly(tuple(id, attempt));
        if (claimed.get(0).suspect() && claimed.get(0).message().maxAttempts() > 1) {
            extend(claimed.get(0), true);
        }
        return endOfLease();
    }

    ClaimAnswer crashExtended(Claimed claimed) {
        extend(claimed, false);
        return endOfLease();
    }

    void extend(Claimed claimed, boolean alone) {
        Extension extension = new Extension(claimed.lease(), BRIEF, alone);
        assertThat(get(store.extend(PARTITION, nextCall(), List.of(extension)))).doesNotContain(-1L);
    }

    ClaimAnswer endOfLease() {
        return await().pollInterval(Duration.ofMillis(2))
                .until(
                        () -> claim(request(0)),
                        answer -> !answer.leaseExpired().isEmpty()
                                || !answer.deadLettered().isEmpty());
    }

    void fail(Claimed claimed, int attempt) {
        Retry retry = new Retry(claimed.lease(), attempt, NOW, claimed.message().priority(), "failed");
        assertThat(get(store.retry(PARTITION, nextCall(), List.of(retry)))).containsExactly(true);
    }

    void ack(Claimed claimed) {
        assertThat(get(store.ack(PARTITION, nextCall(), List.of(claimed.lease()))))
                .containsExactly(true);
    }

    ClaimAnswer claimSuspect() {
        return claim(suspectRequest(10));
    }

    Claimed claimSuspectBriefly() {
        ClaimAnswer answer = claim(StoreCalls.claimRequest(
                nextCall(),
                1,
                0,
                Duration.ofMillis(200),
                3,
                null,
                StoreCalls.NOT_EARLY,
                true,
                MessageStore.LARGEST_BYTES));
        assertThat(answer.claimed()).hasSize(1);
        return answer.claimed().get(0);
    }

    ClaimRequest suspectRequest(int slots) {
        return suspectRequest(nextCall(), slots);
    }

    static ClaimRequest suspectRequest(CallId callId, int slots) {
        return StoreCalls.claimRequest(
                callId, slots, 0, LEASE, 3, null, StoreCalls.NOT_EARLY, true, MessageStore.LARGEST_BYTES);
    }
}
