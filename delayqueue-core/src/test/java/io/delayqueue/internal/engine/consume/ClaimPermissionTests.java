package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClaimPermissionTests {

    private final AtomicLong breaks = new AtomicLong();
    private final AtomicInteger opened = new AtomicInteger();
    private final List<CompletableFuture<Void>> answers = new ArrayList<>();
    private final ClaimPermission permission = new ClaimPermission(
            (topic, partition) -> {
                answers.add(new CompletableFuture<>());
                return answers.get(answers.size() - 1);
            },
            store(),
            Partition.only("orders"),
            opened::incrementAndGet);

    @Test
    void theGateIsAskedOnceForEachConnection() {
        assertThat(permission.isGranted()).isFalse();
        assertThat(permission.isGranted()).isFalse();
        assertThat(answers).hasSize(1);
        answers.get(0).complete(null);
        assertThat(opened).hasValue(1);
        assertThat(permission.isGranted()).isTrue();

        breaks.incrementAndGet();
        assertThat(permission.isGranted()).isFalse();
        assertThat(answers).hasSize(2);
    }

    /** It would be shut for ever: the gate is not asked again for a connection that it was asked for. */
    @Test
    void aLateAnswerForAnEarlierConnectionTakesNoPermissionBack() {
        permission.isGranted();
        breaks.incrementAndGet();
        permission.isGranted();
        answers.get(1).complete(null);
        answers.get(0).complete(null);

        assertThat(permission.isGranted()).isTrue();
        assertThat(permission.breaks()).isEqualTo(1);
    }

    private MessageStore store() {
        return (MessageStore) Proxy.newProxyInstance(
                MessageStore.class.getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (proxy, method, arguments) -> breaks.get());
    }
}
