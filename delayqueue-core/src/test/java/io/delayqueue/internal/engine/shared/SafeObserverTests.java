package io.delayqueue.internal.engine.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.testsupport.FailingLog;
import io.delayqueue.testsupport.LogLines;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SafeObserverTests {

    private final List<String> told = new ArrayList<>();
    private final SafeObserver observer = new SafeObserver(new DelayQueueObserver() {
        @Override
        public void cancelled(String topic, String id) {
            told.add(id);
            throw new StackOverflowError("deep");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("no words");
        }
    });

    @Test
    void anObserverThatThrowsIsReportedAndItsFailureGoesNoFurther() {
        try (LogLines log = LogLines.of(DelayQueueObserver.class.getName())) {
            observer.call(events -> events.cancelled("orders", "a"));
            observer.call(events -> events.cancelled("orders", "b"));

            assertThat(told).containsExactly("a", "b");
            assertThat(log.lines())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).startsWith("WARN observer "));
        }
    }

    @Test
    void norDoesAFailureOfTheLogger() {
        try (FailingLog log = FailingLog.begin()) {
            observer.call(events -> events.cancelled("orders", "a"));

            assertThat(log.failedLines()).isEqualTo(1);
        }
    }
}
