package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClaimPermissionTests {

    private final AtomicInteger opened = new AtomicInteger();
    private final List<CompletableFuture<Void>> answers = new ArrayList<>();
    private final ClaimPermission permission = new ClaimPermission(
            (topic, partition) -> {
                answers.add(new CompletableFuture<>());
                return answers.get(answers.size() - 1);
            },
            Partition.only("orders"),
            opened::incrementAndGet);

    @Test
    void aConnectionMayBeClaimedOverWhenTheGateHasAnswered() {
        assertThat(permission.isAsked()).isFalse();
        permission.ask(7);
        assertThat(permission.isAsked()).isTrue();
        assertThat(permission.connection()).isNotEqualTo(7);
        assertThat(opened).hasValue(0);

        answers.get(0).complete(null);
        assertThat(opened).hasValue(1);
        assertThat(permission.isAsked()).isFalse();
        assertThat(permission.connection()).isEqualTo(7);
    }

    @Test
    void aPartitionThatGoesBackToAnEarlierServerIsAskedForAgain() {
        permission.ask(7);
        answers.get(0).complete(null);
        permission.ask(8);
        answers.get(1).complete(null);

        permission.ask(7);
        assertThat(permission.isAsked()).isTrue();
        answers.get(2).complete(null);
        assertThat(permission.connection()).isEqualTo(7);
    }

    @Test
    void aGateThatFailsWithAnErrorIsOpen() {
        ClaimPermission failing = new ClaimPermission(
                (topic, partition) -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                Partition.only("orders"),
                opened::incrementAndGet);

        failing.ask(7);

        assertThat(failing.isAsked()).isFalse();
        assertThat(failing.connection()).isEqualTo(7);
        assertThat(opened).hasValue(1);
    }

    @Test
    void aLateAnswerForAnEarlierConnectionSaysNothing() {
        permission.ask(1);
        permission.ask(2);
        answers.get(0).complete(null);
        assertThat(permission.isAsked()).isTrue();
        answers.get(1).complete(null);

        assertThat(permission.isAsked()).isFalse();
        assertThat(permission.connection()).isEqualTo(2);
    }
}
