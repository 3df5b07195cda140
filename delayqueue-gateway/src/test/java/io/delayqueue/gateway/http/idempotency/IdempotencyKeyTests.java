package io.delayqueue.gateway.http.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.gateway.http.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTests {

    @Test
    void absentHeaderIsNoKey() {
        assertThat(IdempotencyKey.parse(null)).isNull();
    }

    @Test
    void textInQuotesIsAKey() {
        assertThat(IdempotencyKey.parse(" \"8e03978e-40d5\" ")).isEqualTo(new IdempotencyKey("8e03978e-40d5"));
        assertThat(IdempotencyKey.parse("\"a\\\"b\\\\c\"")).isEqualTo(new IdempotencyKey("a\"b\\c"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\"",
                "\"\"",
                "a",
                "\"a",
                "a\"",
                "\"a\"b\"",
                "\"a\\\"",
                "\"a\\b\"",
                "\"ä\"",
                "\"\t\"",
                "\"a\";p"
            })
    void othersAreRefused(String header) {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> IdempotencyKey.parse(header))
                .satisfies(problem -> assertThat(problem.field()).isEqualTo("Idempotency-Key"));
    }

    @Test
    void lengthIsBounded() {
        assertThat(IdempotencyKey.parse('"' + "x".repeat(255) + '"')).isNotNull();
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> IdempotencyKey.parse('"' + "x".repeat(256) + '"'));
    }
}
