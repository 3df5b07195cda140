package io.delayqueue.internal.engine.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SuspectPermitTests {

    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final SuspectPermit permit = new SuspectPermit(timer);
    private final List<String> granted = new CopyOnWriteArrayList<>();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void oneHasItAtATime() {
        SuspectPermit.Turn a = turn("a");
        SuspectPermit.Turn b = turn("b");

        assertThat(a.tryTake()).isTrue();
        assertThat(a.tryTake()).as("once more").isTrue();
        assertThat(b.tryTake()).isFalse();
        a.giveBack();
        assertThat(b.tryTake()).isTrue();
        assertThat(granted).isEmpty();
    }

    @Test
    void thoseThatWaitGetItInTheirOrder() {
        SuspectPermit.Turn a = turn("a");
        SuspectPermit.Turn b = turn("b");
        SuspectPermit.Turn c = turn("c");
        a.ask();
        b.ask();
        c.ask();
        b.ask();

        Eventually.asserted(() -> assertThat(granted).containsExactly("a"));
        a.giveBack();
        Eventually.asserted(() -> assertThat(granted).containsExactly("a", "b"));
        assertThat(a.tryTake()).isFalse();
        b.giveBack();
        Eventually.asserted(() -> assertThat(granted).containsExactly("a", "b", "c"));
    }

    @Test
    void oneThatNoLongerWaitsIsPassedOver() {
        SuspectPermit.Turn a = turn("a");
        SuspectPermit.Turn b = turn("b");
        SuspectPermit.Turn c = turn("c");
        a.ask();
        b.ask();
        c.ask();
        b.giveBack();
        a.giveBack();

        Eventually.asserted(() -> assertThat(granted).containsExactly("a", "c"));
    }

    /** As when many subscriptions have no free slot. */
    @Test
    void thousandsThatGiveItBackAtOnceAllGetTheirTurn() {
        List<SuspectPermit.Turn> turns = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            int number = i;
            turns.add(permit.turn(() -> {
                granted.add("" + number);
                turns.get(number).giveBack();
            }));
        }
        SuspectPermit.Turn first = turn("first");
        first.tryTake();
        turns.forEach(SuspectPermit.Turn::ask);

        first.giveBack();

        Eventually.asserted(() -> assertThat(granted).hasSize(5000));
        assertThat(first.tryTake()).isTrue();
    }

    private SuspectPermit.Turn turn(String name) {
        return permit.turn(() -> granted.add(name));
    }
}
