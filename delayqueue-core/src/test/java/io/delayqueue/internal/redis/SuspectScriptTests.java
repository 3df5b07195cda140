package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.ClaimAnswer.DeadLettered;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Release;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message becomes a suspect, and remains one until it fails, ends or is dead-lettered. */
class SuspectScriptTests extends SuspectTests {

    @Test
    void aMessageWhoseLeaseExpiredTwiceIsASuspect() {
        schedule(message("a").maxAttempts(5).priority(7));
        crash("a", 1);
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "1:1"));
        assertThat(raw.scheduled(7)).containsOnlyKeys("a");

        crash("a", 2);

        assertThat(raw.attempts()).isEqualTo(Map.of("a", "2:2"));
        assertThat(raw.suspects()).containsOnlyKeys("a");
        assertThat(raw.scheduled(7)).isEmpty();
        assertThat(raw.meta().get("priorities")).contains("s");
    }

    @Test
    void aMessageWhoseNextAttemptIsItsLastIsASuspectAfterOneExpiredLease() {
        schedule(message("a").maxAttempts(2));

        crash("a", 1);

        assertThat(raw.suspects()).containsOnlyKeys("a");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void aSuspectThatIsAloneDiesOfItsLastCrash(int maxAttempts) {
        schedule(message("killer").maxAttempts(maxAttempts));

        for (int attempt = 1; attempt < maxAttempts; attempt++) {
            assertThat(crash("killer", attempt).deadLettered()).isEmpty();
        }

        assertThat(crash("killer", maxAttempts).deadLettered())
                .containsExactly(new DeadLettered("killer", maxAttempts));
        assertThat(raw.attempts()).isEqualTo(Map.of("killer", Integer.toString(maxAttempts)));
    }

    @Test
    void neighboursThatFailedBeforeDoNotDieOfAnothersCrash() {
        schedule(message("a"));
        for (int attempt = 1; attempt <= 2; attempt++) {
            fail(claimOne(), attempt);
        }
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "2"));

        // merely in flight
        assertThat(crash("a", 3).deadLettered()).isEmpty();

        assertThat(raw.attempts()).isEqualTo(Map.of("a", "2:2"));
        assertThat(raw.suspects()).containsOnlyKeys("a");
        assertThat(crash("a", 3).deadLettered()).containsExactly(new DeadLettered("a", 3));
    }

    @Test
    void aSuspectThatWasNotAloneRepeatsItsLastAttemptTwice() {
        makeSuspects("a");

        for (int time = 1; time <= 2; time++) {
            assertThat(crashExtended(claimSuspectBriefly()).leaseExpired()).containsExactly("a");
            assertThat(raw.attempts()).isEqualTo(Map.of("a", "1:" + (2 + time)));
        }

        assertThat(crashExtended(claimSuspectBriefly()).deadLettered()).containsExactly(new DeadLettered("a", 2));
    }

    @Test
    void aSuspectWhoseHandlerDidNotBeginRepeatsItsLastAttempt() {
        makeSuspects("a");
        claimSuspectBriefly();

        assertThat(endOfLease().leaseExpired()).containsExactly("a");
    }

    @Test
    void aFailureEndsTheSuspicion() {
        schedule(message("a").maxAttempts(5).priority(2));
        crash("a", 1);
        crash("a", 2);
        fail(claimSuspect().claimed().get(0), 3);

        assertThat(raw.attempts()).isEqualTo(Map.of("a", "3"));
        assertThat(raw.scheduled(2)).containsOnlyKeys("a");
        assertThat(raw.suspects()).isEmpty();
        assertThat(claimOne().suspect()).isFalse();
    }

    @Test
    void aReleasedSuspectIsDueAsBeforeAndStaysASuspect() {
        makeSuspects("a");
        Map<String, Long> suspects = raw.suspects();
        Claimed claimed = claimSuspect().claimed().get(0);
        assertThat(claimed.dueMicros()).isEqualTo(suspects.get("a"));
        claim();
        assertThat(raw.meta()).doesNotContainKey("priorities");

        get(store.release(PARTITION, List.of(new Release(claimed.lease(), claimed.dueMicros(), 4, true))));

        assertThat(raw.suspects()).isEqualTo(suspects);
        assertThat(raw.scheduled()).isEmpty();
        assertThat(claimSuspect().claimed()).hasSize(1);
    }

    @Test
    void aSingleAttemptThatNoHandlerBeganIsNotCounted() {
        schedule(message("a").maxAttempts(1));

        assertThat(crash("a", 1).leaseExpired()).containsExactly("a");
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "0:1"));
        assertThat(claimOne().message().attempt()).isEqualTo(1);
    }

    @Test
    void aSingleAttemptThatAHandlerBeganIsTheLast() {
        schedule(message("a").maxAttempts(1));
        Claimed claimed = claimOne(Duration.ofMillis(200));

        assertThat(crashExtended(claimed).deadLettered()).containsExactly(new DeadLettered("a", 1));
    }

    @Test
    void aMessageThatIsNeverBegunDoesNotComeForEver() {
        schedule(message("a").maxAttempts(1));

        for (int time = 1; time <= 10; time++) {
            assertThat(crash("a", 1).leaseExpired()).as("time %s", time).containsExactly("a");
        }

        assertThat(crash("a", 1).deadLettered()).containsExactly(new DeadLettered("a", 1));
    }
}
