package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.SleepyStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A program that makes up topic names does not fill the memory. */
class RememberedNamesTests {

    private static final int NAMES = 25_000;

    private final SleepyStore store = new SleepyStore();

    @Test
    void namesThatAreOnlyAskedForAreForgotten() {
        try (Engine engine = new Engine(store, DelayQueueOptions.defaults())) {
            for (int i = 0; i < NAMES; i++) {
                engine.findAsync("asked" + i, "id").join();
                store.calls.clear();
                engine.cancelAsync("asked" + i, "id").join();
                store.calls.clear();
            }

            assertThat(engine.rememberedNames()).isZero();
        }
    }

    @Test
    void namesOfTopicsWithPartitionsAreBounded() {
        DelayQueueOptions options = DelayQueueOptions.builder()
                .topicDefaults(TopicOptions.builder().partitions(2).build())
                .build();
        try (Engine engine = new Engine(store, options)) {
            for (int i = 0; i < NAMES; i++) {
                engine.findAsync("asked" + i, "id").join();
                store.calls.clear();
            }

            assertThat(engine.rememberedNames()).isBetween(1, 10_001);
        }
    }

    @Test
    void topicsScheduledToAreBounded() {
        try (Engine engine = new Engine(store, DelayQueueOptions.defaults())) {
            for (int i = 0; i < NAMES; i++) {
                OutgoingMessage message =
                        OutgoingMessage.to("topic" + i).payload(new byte[0]).build();
                assertThat(engine.scheduleAll(List.of(message))).hasSize(1);
                store.calls.clear();
            }

            assertThat(engine.rememberedNames()).isBetween(1, 20_000);
        }
    }
}
