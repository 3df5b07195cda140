package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.PartitionMark;
import io.delayqueue.internal.store.Partition;
import org.junit.jupiter.api.Test;

/** Which epoch a caller knew before it was told a time of Redis. */
class KnownEpochsTests {

    private static final Partition PARTITION = Partition.only("orders");

    private final KnownEpochs epochs = new KnownEpochs();

    @Test
    void anEpochIsKnownToThoseWhoWereToldTheTimeAfterIt() {
        epochs.timeTold(100);
        update(PARTITION, "1:epoch");
        epochs.timeTold(101);

        assertThat(epochs.before(PARTITION, 101)).isEqualTo("1:epoch");
        assertThat(epochs.before(PARTITION, 100)).isNull();
        assertThat(epochs.before(Partition.only("other"), 101)).isNull();
    }

    @Test
    void thatItIsToldAgainChangesNothing() {
        epochs.timeTold(100);
        update(PARTITION, "1:epoch");
        epochs.timeTold(200);
        update(PARTITION, "1:epoch");

        assertThat(epochs.before(PARTITION, 101)).isEqualTo("1:epoch");
    }

    @Test
    void whoReadBeforeAnotherEpochWasToldKnowsNeither() {
        epochs.timeTold(100);
        update(PARTITION, "1:epoch");
        epochs.timeTold(200);
        update(PARTITION, "2:epoch");

        assertThat(epochs.before(PARTITION, 200)).isNull();
        assertThat(epochs.before(PARTITION, 201)).isEqualTo("2:epoch");
    }

    /** The server that tells the time may change, and clocks may be set back. */
    @Test
    void anEarlierTimeThanTheLatestIsNoneAfterTheEpoch() {
        epochs.timeTold(100);
        epochs.timeTold(50);
        update(PARTITION, "1:epoch");
        epochs.timeTold(60);

        assertThat(epochs.before(PARTITION, 60)).isNull();
    }

    @Test
    void withoutATimeNothingIsKnown() {
        update(PARTITION, "1:epoch");
        assertThat(epochs.before(PARTITION, 100)).isNull();

        epochs.timeTold(100);
        epochs.update(PARTITION, new PartitionMark(PARTITION.topic(), 0, null, 0, 0));
        assertThat(epochs.before(PARTITION, 101)).isNull();
    }

    @Test
    void tooManyPartitionsAreForgotten() {
        epochs.timeTold(100);
        for (int i = 0; i <= 10_000; i++) {
            update(Partition.only("topic" + i), "1:epoch");
        }

        assertThat(epochs.before(Partition.only("topic0"), 101)).isNull();
        assertThat(epochs.before(Partition.only("topic10000"), 101)).isEqualTo("1:epoch");
    }

    private void update(Partition partition, String epoch) {
        epochs.update(partition, new PartitionMark(partition.topic(), partition.number(), epoch, 0, 0));
    }
}
