package io.delayqueue.dashboard.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.operator.Operation;
import io.delayqueue.spring.operator.OperatorEvent;
import io.delayqueue.spring.operator.OperatorEvent.Outcome;
import io.delayqueue.spring.operator.OperatorEvent.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatestOperationsTests {

    private final LatestOperations operations = new LatestOperations();

    @Test
    void latestAreKept() {
        for (int i = 0; i < LatestOperations.MAX_KEPT + 5; i++) {
            operations.onOperation(cancelled("m" + i));
        }

        assertThat(operations.latestFirst()).hasSize(LatestOperations.MAX_KEPT);
        assertThat(operations.latestFirst().get(0).ids()).containsExactly("m204");
        assertThat(operations.latestFirst().get(LatestOperations.MAX_KEPT - 1).ids())
                .containsExactly("m5");
    }

    @Test
    void longTextsAreCut() {
        operations.onOperation(cancelled("x".repeat(10_000)));

        assertThat(operations.latestFirst().get(0).ids().get(0)).hasSize(301).endsWith("…");
    }

    private static OperatorEvent cancelled(String id) {
        return new OperatorEvent("ada", Operation.CANCEL, Step.WHOLE, "orders", List.of(id), Outcome.DONE, 1, null);
    }
}
