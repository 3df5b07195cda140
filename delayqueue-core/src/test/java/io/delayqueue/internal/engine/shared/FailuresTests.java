package io.delayqueue.internal.engine.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailuresTests {

    private static final int LONGEST = 2000;

    @Test
    void descriptionNamesTheFailureAndItsCauses() {
        var error = new IllegalStateException("outer", new IllegalArgumentException("inner"));

        assertThat(Failures.describe(error))
                .isEqualTo(
                        "java.lang.IllegalStateException: outer; caused by: java.lang.IllegalArgumentException: inner");
    }

    @Test
    void descriptionFitsHoweverLongTheMessage() {
        String text = Failures.describe(new IllegalStateException("x".repeat(5000)));

        assertThat(text)
                .hasSize(LONGEST)
                .startsWith("java.lang.IllegalStateException: xxx")
                .endsWith("x…");
        assertThat(Failures.bounded("y".repeat(LONGEST))).isEqualTo("y".repeat(LONGEST));
    }

    @Test
    void descriptionEndsWhereCausesGoRound() {
        var first = new IllegalStateException("first");
        var second = new IllegalStateException("second", first);
        first.initCause(second);

        assertThat(Failures.describe(first))
                .contains("first")
                .contains("second")
                .hasSizeLessThan(LONGEST);
    }

    @Test
    void exceptionThatCantEvenBeAskedIsNamedByItsClass() {
        assertThat(Failures.describe(new Unspeakable())).isEqualTo(Unspeakable.class.getName());
    }

    private static final class Unspeakable extends RuntimeException {
        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause");
        }
    }
}
