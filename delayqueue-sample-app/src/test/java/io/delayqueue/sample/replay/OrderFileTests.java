package io.delayqueue.sample.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrderFileTests {

    @TempDir
    Path folder;

    @Test
    void readsPaidAndUnpaidOrders() throws IOException {
        String file = file(
                "# a remark",
                "order_id,placed_at,paid_at",
                "a,2026-03-02T20:15:00Z,2026-03-02T20:16:00.5Z",
                "",
                "b,2026-03-02T20:15:30Z,");

        List<ReplayOrder> orders = OrderFile.read(file);

        assertThat(orders)
                .containsExactly(
                        new ReplayOrder(
                                "a", Instant.parse("2026-03-02T20:15:00Z"), Instant.parse("2026-03-02T20:16:00.5Z")),
                        new ReplayOrder("b", Instant.parse("2026-03-02T20:15:30Z"), null));
        assertThat(orders)
                .extracting(order -> order.isPaidWithin(Duration.ofMinutes(1)))
                .containsExactly(false, false);
        assertThat(orders)
                .extracting(order -> order.isPaidWithin(Duration.ofMinutes(2)))
                .containsExactly(true, false);
    }

    @Test
    void namesTheFirstLineThatIsNotAnOrder() throws IOException {
        assertRefused("line 2: expected order id, placed at, paid at", "a,2026-03-02T20:15:00Z");
        assertRefused("line 2: expected a time", "a,2026-03-02 20:15:00,");
        assertRefused("line 2: paid before", "a,2026-03-02T20:15:00Z,2026-03-02T20:14:00Z");
    }

    @Test
    void namesTheFileThatIsMissing() {
        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> OrderFile.read("missing.csv"))
                .withMessageContaining(Path.of("missing.csv").toAbsolutePath().toString());
    }

    private void assertRefused(String message, String line) throws IOException {
        String file = file("order_id,placed_at,paid_at", line);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OrderFile.read(file))
                .withMessageContaining(message);
    }

    private String file(String... lines) throws IOException {
        return Files.write(folder.resolve("orders.csv"), List.of(lines)).toString();
    }
}
