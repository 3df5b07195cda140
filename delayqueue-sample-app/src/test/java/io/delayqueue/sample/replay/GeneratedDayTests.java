package io.delayqueue.sample.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class GeneratedDayTests {

    /** Of the rows of the file that earlier versions shipped. */
    private static final String SHA_256 = "02fddb7ec47ecc464c61c004a046a1bb2a56b9ac8aef956dfe7eda68db51eb1c";

    @Test
    void isTheSameDayEveryTime() throws Exception {
        List<ReplayOrder> orders = GeneratedDay.orders();

        assertThat(orders).hasSize(GeneratedDay.ORDERS);
        assertThat(Timeline.steps(orders)).hasSize(21_579);
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        orders.forEach(order -> digest.update(csv(order).getBytes(UTF_8)));
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(SHA_256);
    }

    private static String csv(ReplayOrder order) {
        return order.id() + "," + order.placedAt() + "," + (order.paidAt() == null ? "" : order.paidAt()) + "\n";
    }
}
