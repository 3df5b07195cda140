package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.internal.store.MessageStore.DeleteStep;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.OutboxBatchAnswer.Change;
import io.delayqueue.internal.store.OutboxStore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How long Redis remembers the changes that an outbox applied. Their age is played: scores are set back. */
class AppliedMemoryTests extends ScriptTests {

    private static final long MEMORY = Micros.of(OutboxOptions.DEFAULTS.remembered());
    private static final long MINUTE = Micros.of(HOUR) / 60;

    @Test
    void changesOlderThanTheMemoryAreForgottenBitByBit() {
        remember(300, MEMORY + 3 * MINUTE);
        OutboxOperation young = remember(1, 2 * MINUTE).get(0);

        applyOne();
        assertThat(raw.applied()).hasSize(300 - 2 - 16 + 2);
        IntStream.range(0, 20).forEach(i -> applyOne());
        assertThat(raw.applied()).hasSize(22);
        assertThat(isRemembered(young)).isTrue();
    }

    /** Those that were sent last before Redis, or all relays, were away may be sent again when that is over. */
    @Test
    void afterALongSilenceTheLastChangesBeforeItAreRememberedForAMinute() {
        List<OutboxOperation> before = remember(40, 4 * MEMORY);
        IntStream.range(0, 20).forEach(i -> applyOne());
        assertThat(before).allMatch(this::isRemembered);

        remember(1, 2 * MINUTE);
        IntStream.range(0, 20).forEach(i -> applyOne());
        assertThat(raw.applied()).hasSize(20 + 1 + 20);
    }

    @Test
    void aSilentTopicForgetsByCommandUntilNothingIsLeft() {
        remember(OutboxStore.LARGEST_FORGET_STEP / 2, 2 * MEMORY);
        remember(OutboxStore.LARGEST_FORGET_STEP / 2 + 10, 2 * MEMORY);
        remember(1, MINUTE);
        long before = nowMicros() - MEMORY;

        assertThat(get(store.outbox().forget(PARTITION, before)))
                .isEqualTo(new OutboxStore.ForgetStep(OutboxStore.LARGEST_FORGET_STEP, 11));
        assertThat(get(store.outbox().forget(PARTITION, before))).isEqualTo(new OutboxStore.ForgetStep(10, 1));
        assertThat(get(store.outbox().forget(PARTITION, before))).isEqualTo(new OutboxStore.ForgetStep(0, 1));
        assertThat(get(store.outbox().forget(PARTITION, nowMicros()))).isEqualTo(new OutboxStore.ForgetStep(1, 0));
        assertThat(raw.present()).containsExactly(":meta");
    }

    @Test
    void aDeletedTopicForgetsAll() {
        remember(1500, 0);
        while (get(store.deleteTopic(PARTITION, false)) == DeleteStep.UNFINISHED) {
            assertThat(raw.applied()).hasSizeLessThan(1500);
        }
        assertThat(raw.present()).isEmpty();
    }

    /** Applies cancels, and makes them that old. */
    private List<OutboxOperation> remember(int count, long ageMicros) {
        List<OutboxOperation> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(new OutboxOperation.Cancel(TOPIC, "m" + i, OutboxOperation.newToken()));
        }
        for (int from = 0; from < count; from += 512) {
            apply(all.subList(from, Math.min(count, from + 512)));
        }
        for (OutboxOperation each : all) {
            redis.zincrby(raw.name(":applied"), -ageMicros / 8 * 8, each.token() + each.id());
        }
        return all;
    }

    private void applyOne() {
        apply(List.of(new OutboxOperation.Cancel(TOPIC, "x", OutboxOperation.newToken())));
    }

    private boolean isRemembered(OutboxOperation operation) {
        return apply(List.of(operation)).get(0).repeated();
    }

    private List<Change> apply(List<OutboxOperation> operations) {
        OutboxBatch batch = new OutboxBatch(operations, nowMicros(), epoch(PARTITION), OutboxOptions.DEFAULTS);
        return get(store.outbox().apply(PARTITION, batch)).changes();
    }
}
