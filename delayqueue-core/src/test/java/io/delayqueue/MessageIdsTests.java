package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MessageIdsTests {

    private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

    @Test
    void idsAreUniqueAcrossThreads() {
        Set<String> ids = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 200_000).parallel().forEach(i -> ids.add(MessageIds.next()));

        assertThat(ids).hasSize(200_000);
    }

    @Test
    void idsSortByTheTimeTheyWereMade() {
        String[] ids = new String[5];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = MessageIds.next();
            awaitNextMillisecond();
        }
        String[] sorted = ids.clone();
        Arrays.sort(sorted);

        assertThat(sorted).containsExactly(ids);
    }

    @Test
    void idsOfAMillisecondAscend() {
        MessageIds ids = new MessageIds(0, 0);

        String last = ids.next(7);
        for (int i = 0; i < 1000; i++) {
            String next = ids.next(7);
            assertThat(next).isGreaterThan(last).startsWith("000000007");
            last = next;
        }
    }

    @Test
    void idsAscendWhileTheClockIsSetBack() {
        MessageIds ids = new MessageIds(0, 0);

        String last = ids.next(7);

        assertThat(ids.next(3)).isGreaterThan(last).startsWith("000000007");
    }

    @Test
    void idsAscendWhenTheirMillisecondIsFull() {
        MessageIds ids = new MessageIds(7, (1L << 55) - 1);

        assertThat(ids.next(7)).isGreaterThan("000000007zzzzzzzzzzz").startsWith("000000008");
    }

    @Test
    void idTellsItsMillisecond() {
        long before = System.currentTimeMillis();
        String id = MessageIds.next();
        long after = System.currentTimeMillis();

        long millis = 0;
        for (char digit : id.substring(0, 9).toCharArray()) {
            millis = millis * 32 + ALPHABET.indexOf(digit);
        }
        assertThat(millis).isBetween(before, after);
    }

    @Test
    void idsAndNoncesAreShortAndPlain() {
        assertThat(MessageIds.next()).matches("[0-9a-hjkmnp-tv-z]{20}");
        assertThat(MessageIds.nonce()).matches("[0-9a-hjkmnp-tv-z]{8}");
    }

    @Test
    void noncesHardlyEverRepeat() {
        Set<String> nonces = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            nonces.add(MessageIds.nonce());
        }

        assertThat(nonces).hasSize(1000);
    }

    private static void awaitNextMillisecond() {
        long now = System.currentTimeMillis();
        while (System.currentTimeMillis() <= now) {
            Thread.onSpinWait();
        }
    }
}
