package io.delayqueue.internal.engine.consume;

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
        SuspectPermit.Applicant a = applicant("a");
        SuspectPermit.Applicant b = applicant("b");

        assertThat(a.tryAcquire()).isTrue();
        assertThat(a.tryAcquire()).as("once more").isTrue();
        assertThat(b.tryAcquire()).isFalse();
        a.release();
        assertThat(b.tryAcquire()).isTrue();
        assertThat(granted).isEmpty();
    }

    @Test
    void thoseThatWaitGetItInTheirOrder() {
        SuspectPermit.Applicant a = applicant("a");
        SuspectPermit.Applicant b = applicant("b");
        SuspectPermit.Applicant c = applicant("c");
        a.request();
        b.request();
        c.request();
        b.request();

        Eventually.asserted(() -> assertThat(granted).containsExactly("a"));
        a.release();
        Eventually.asserted(() -> assertThat(granted).containsExactly("a", "b"));
        assertThat(a.tryAcquire()).isFalse();
        b.release();
        Eventually.asserted(() -> assertThat(granted).containsExactly("a", "b", "c"));
    }

    @Test
    void oneThatNoLongerWaitsIsPassedOver() {
        SuspectPermit.Applicant a = applicant("a");
        SuspectPermit.Applicant b = applicant("b");
        SuspectPermit.Applicant c = applicant("c");
        a.request();
        b.request();
        c.request();
        b.release();
        a.release();

        Eventually.asserted(() -> assertThat(granted).containsExactly("a", "c"));
    }

    /** As when many subscriptions have no free slot. */
    @Test
    void thousandsThatGiveItBackAtOnceAllGetTheirTurn() {
        List<SuspectPermit.Applicant> applicants = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            int number = i;
            applicants.add(permit.applicant(() -> {
                granted.add("" + number);
                applicants.get(number).release();
            }));
        }
        SuspectPermit.Applicant first = applicant("first");
        first.tryAcquire();
        applicants.forEach(SuspectPermit.Applicant::request);

        first.release();

        Eventually.asserted(() -> assertThat(granted).hasSize(5000));
        assertThat(first.tryAcquire()).isTrue();
    }

    private SuspectPermit.Applicant applicant(String name) {
        return permit.applicant(() -> granted.add(name));
    }
}
