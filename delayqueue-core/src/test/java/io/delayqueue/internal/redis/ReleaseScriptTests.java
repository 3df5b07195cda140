package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Release;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReleaseScriptTests extends ScriptTests {

    @Test
    void aReleasedMessageIsDueAsBeforeAndNoAttemptIsCounted() {
        schedule(message("a").priority(8));
        Map<String, Long> scheduled = raw.scheduled(8);
        Claimed claimed = claimOne();
        claim();
        assertThat(raw.meta()).doesNotContainKey("priorities");

        assertThat(get(store.release(PARTITION, List.of(release(claimed))))).containsExactly(true);
        assertThat(raw.present()).containsExactlyInAnyOrder(":messages", ":meta", ":scheduled:8");
        assertThat(raw.scheduled(8)).isEqualTo(scheduled);
        assertThat(raw.meta()).containsEntry("priorities", "8");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1"));
        assertThat(claimOne().message().attempt()).isEqualTo(1);
    }

    @Test
    void aLostLeaseIsReportedAndChangesNothing() {
        schedule(message("a"));
        Claimed claimed = claimOne();
        Map<String, Object> before = raw.everything();

        Release lost = new Release(new Lease("a", claimed.receipt() - 1), claimed.dueMicros(), 4);
        Release stranger = new Release(new Lease("never there", 1), 1, 4);
        assertThat(get(store.release(PARTITION, List.of(lost, stranger)))).containsExactly(false, false);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void theSameCallOnceMoreChangesNothing() {
        schedule(message("a"), message("b"));
        List<Release> both =
                claim().claimed().stream().map(ReleaseScriptTests::release).toList();
        assertThat(get(store.release(PARTITION, both))).containsExactly(true, true);
        Map<String, Object> before = raw.everything();

        assertThat(get(store.release(PARTITION, both))).containsExactly(false, false);
        assertThat(raw.everything()).isEqualTo(before);
    }

    private static Release release(Claimed claimed) {
        return new Release(
                claimed.lease(), claimed.dueMicros(), claimed.message().priority());
    }
}
