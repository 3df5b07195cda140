package io.delayqueue.jdbc.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.MessageStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AuditBufferTests {

    @Test
    void keepsTheLatestOfAHundredThousandAndCountsTheRest() throws Exception {
        AuditBuffer buffer = new AuditBuffer(100_000, 1L << 40);
        List<CompletableFuture<Void>> threads = IntStream.range(0, 4)
                .mapToObj(thread -> CompletableFuture.runAsync(() ->
                        IntStream.range(0, 50_000).forEach(i -> buffer.add(event(thread + "-" + i, null)))))
                .toList();
        threads.forEach(CompletableFuture::join);

        assertThat(buffer.size()).isEqualTo(100_000);
        assertThat(buffer.dropped()).isEqualTo(100_000);
        assertThat(buffer.fill()).isEqualTo(1);

        buffer.add(event("latest", null));
        List<AuditEvent> all = new ArrayList<>();
        while (buffer.size() > 0) {
            all.addAll(buffer.take(1_000, 0, TimeUnit.SECONDS));
        }
        assertThat(all)
                .hasSize(100_000)
                .extracting(AuditEvent::id)
                .doesNotHaveDuplicates()
                .endsWith("latest");
        assertThat(buffer.fill()).isZero();
    }

    @Test
    void isBoundedInBytes() throws Exception {
        AuditBuffer buffer = new AuditBuffer(1_000, 100_000);
        String large = "x".repeat(2_000);
        IntStream.range(0, 100).forEach(i -> buffer.add(event("m" + i, large)));

        assertThat(buffer.size()).isBetween(20, 24);
        assertThat(buffer.dropped() + buffer.size()).isEqualTo(100);
        assertThat(buffer.take(1, 0, TimeUnit.SECONDS).get(0).id()).isEqualTo("m" + buffer.dropped());
    }

    @Test
    void keepsAnEventThatIsLargerThanAllItsMemory() {
        AuditBuffer buffer = new AuditBuffer(10, 100);
        buffer.add(event("large", "x".repeat(2_000)));

        assertThat(buffer.size()).isEqualTo(1);
    }

    @Test
    void aBatchIsTakenAsSoonAsItIsFull() throws Exception {
        AuditBuffer buffer = new AuditBuffer(1_000, 1 << 20);
        CompletableFuture<List<AuditEvent>> taken = CompletableFuture.supplyAsync(() -> {
            try {
                return buffer.take(100, 1, TimeUnit.HOURS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        IntStream.range(0, 150).forEach(i -> buffer.add(event("m" + i, null)));

        assertThat(taken.get(30, TimeUnit.SECONDS))
                .hasSize(100)
                .first()
                .matches(event -> event.id().equals("m0"));
        assertThat(buffer.take(100, 1, TimeUnit.MILLISECONDS)).hasSize(50);
        assertThat(buffer.take(100, 1, TimeUnit.MILLISECONDS)).isEmpty();
    }

    @Test
    void whatWasAddedBeforeIsWrittenWhenItIsRecordedOrDropped() throws Exception {
        AuditBuffer buffer = new AuditBuffer(10, 1 << 20);
        IntStream.range(0, 3).forEach(i -> buffer.add(event("m" + i, null)));
        BooleanSupplier written = buffer.whenWritten();
        buffer.add(event("later", null));

        assertThat(buffer.take(3, 0, TimeUnit.SECONDS)).hasSize(3);
        assertThat(written.getAsBoolean()).as("taken, and not written yet").isFalse();
        buffer.written(2);
        assertThat(written.getAsBoolean()).isFalse();
        buffer.written(1);
        assertThat(written.getAsBoolean()).isTrue();

        BooleanSupplier dropped = buffer.whenWritten();
        IntStream.range(0, 10).forEach(i -> buffer.add(event("n" + i, null)));
        assertThat(dropped.getAsBoolean()).as("nobody will write it").isTrue();
    }

    @Test
    void errorsAreCutAndLeftWithoutWhatDatabasesRefuse() {
        AuditEvent event = event("a", "nul \0, half \ud83d, whole \ud83d\ude00" + "x".repeat(3_000));

        assertThat(event.error()).hasSize(2_000).startsWith("nul \ufffd, half \ufffd, whole \ud83d\ude00xxx");
        assertThat(event("a", "x".repeat(1_999) + "\ud83d\ude00").error())
                .hasSize(1_999)
                .endsWith("xx");
    }

    private static AuditEvent event(String id, String error) {
        return new AuditEvent(
                "orders",
                id,
                "g0000000",
                MessageStatus.IN_FLIGHT,
                MessageStatus.ACKED,
                System.nanoTime(),
                System.nanoTime(),
                1,
                null,
                1,
                error,
                null);
    }
}
