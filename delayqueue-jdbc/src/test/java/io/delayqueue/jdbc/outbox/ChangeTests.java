package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeTests {

    @Test
    void changesAreReadAsTheyWereWritten() {
        List<Change> changes = List.of(
                new Change.Schedule("abcdefg0"),
                new Change.Cancel("00000001"),
                new Change.Reschedule("00000002", 253_402_300_799_999_999L, true),
                new Change.Reschedule("00000003", 0, false),
                new Change.Schedule("zzzzzzzz"));

        String operations = changes.stream().map(Change::encode).collect(Collectors.joining());

        assertThat(operations).isEqualTo("Sabcdefg0;C00000001;R00000002:i253402300799999999;R00000003:d0;Szzzzzzzz;");
        assertThat(Change.decode(operations)).isEqualTo(changes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Sabcdefg0", "Sabc;", "X00000001;", "Sabcdefg0; C00000001;", "R00000001:d;", "R00000001:x1;"
            })
    void textsOfAnotherFormAreRefused(String operations) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Change.decode(operations))
                .withMessageContaining("'" + operations + "'");
    }
}
