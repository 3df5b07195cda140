package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.internal.ReceiptData;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiptTests {

    private static final ReceiptData DATA = new ReceiptData(
            "bestellungen/für-morgen",
            7,
            "id ☂ 1",
            "aB3dE6gH",
            1_800_000_000_000_001L,
            1_799_999_999_000_000L,
            2,
            5,
            9,
            true);

    @Test
    void itsTextTellsAllThatIsNeededToSettleTheMessage() {
        assertThat(ReceiptData.decode(DATA.encode())).isEqualTo(DATA);
    }

    @Test
    void itIsParsedFromItsOwnText() {
        Receipt receipt = Receipt.parse(DATA.encode());

        assertThat(receipt.topic()).isEqualTo(DATA.topic());
        assertThat(receipt.messageId()).isEqualTo(DATA.id());
        assertThat(receipt).hasToString(DATA.encode()).isEqualTo(Receipt.parse(receipt.toString()));
        assertThat(receipt).hasSameHashCodeAs(Receipt.parse(receipt.toString()));
        assertThat(receipt)
                .isNotEqualTo(Receipt.parse(new ReceiptData("t", 0, "i", "g", 1, 1, 1, 1, 0, false).encode()));
    }

    @Test
    void itsTextCanBePartOfAnUrl() {
        assertThat(DATA.encode()).matches("[A-Za-z0-9_-]+");
    }

    @Test
    void theLongestNamesFit() {
        ReceiptData longest = new ReceiptData(
                "☂".repeat(200), Integer.MAX_VALUE, "i".repeat(512), "aB3dE6gH", Long.MAX_VALUE, 0, 1, 1, 0, false);

        assertThat(ReceiptData.decode(longest.encode())).isEqualTo(longest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "AAAA", "not base64!", "AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void otherTextIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Receipt.parse(text))
                .withMessageStartingWith("this text is no receipt: ");
    }

    @Test
    void aTextThatIsFarTooLongIsNotLookedAt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Receipt.parse("A".repeat(100_000)))
                .withMessageContaining("100000 characters");
    }

    @Test
    void aReceiptThatWasCutOrChangedAnywhereIsRefused() {
        byte[] bytes = Base64.getUrlDecoder().decode(DATA.encode());
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] changed = bytes.clone();
            changed[random.nextInt(changed.length)] ^= (byte) (1 + random.nextInt(255));
            String text = Base64.getUrlEncoder().withoutPadding().encodeToString(changed);
            assertThatThrownBy(() -> Receipt.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
        for (int length = 0; length < DATA.encode().length(); length++) {
            String cut = DATA.encode().substring(0, length);
            assertThatThrownBy(() -> Receipt.parse(cut)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void arbitraryBytesAreRefusedByNothingButAnIllegalArgument() {
        Random random = new Random(2);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(120)];
            random.nextBytes(bytes);
            String text = Base64.getUrlEncoder().encodeToString(bytes);
            assertThatThrownBy(() -> Receipt.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void numbersThatMakeNoSenseAreRefusedAlthoughTheChecksumIsRight() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Receipt.parse(new ReceiptData("t", -1, "i", "g", 1, 1, 1, 1, 0, false).encode()))
                .withMessageContaining("numbers");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Receipt.parse(new ReceiptData("t", 0, "i", "g", 1, 1, 0, 1, 0, false).encode()))
                .withMessageContaining("numbers");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Receipt.parse(new ReceiptData("a b", 0, "i", "g", 1, 1, 1, 1, 0, false).encode()))
                .withMessageContaining("topic");
    }
}
