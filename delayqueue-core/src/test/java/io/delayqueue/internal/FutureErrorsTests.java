package io.delayqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FutureErrorsTests {

    @Test
    void theErrorIsFoundInAllWrappers() {
        var cause = new IllegalStateException("cause");

        assertThat(FutureErrors.unwrap(new ExecutionException(new CompletionException(cause))))
                .isSameAs(cause);
        assertThat(FutureErrors.unwrap(cause)).isSameAs(cause);
    }

    @Test
    void aWrapperWithoutACauseIsTheError() {
        var empty = new CompletionException("empty", null);

        assertThat(FutureErrors.unwrap(empty)).isSameAs(empty);
    }
}
