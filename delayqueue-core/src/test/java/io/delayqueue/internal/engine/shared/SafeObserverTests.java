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
    });

    @Test
    void anObserverThatThrowsIsReportedOnceAMinuteAndItsFailureGoesNoFurther() {
        try (LogLines log = LogLines.ofEngine()) {
            for (int i = 0; i < 10_000; i++) {
                observer.call(events -> events.cancelled("orders", "a"));
            }

            assertThat(told).hasSize(10_000);
            assertThat(log.with("Observer: " + getClass().getName()))
                    .singleElement()
                    .asString()
                    .startsWith("ERROR ")
                    .contains("failed on an event");
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
