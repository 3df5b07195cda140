package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
    void idsSortByTheNanosecondTheyWereMade() {
        Instant time = Instant.parse("2026-11-28T12:00:00.001999999Z");
        List<String> ids = Stream.of(
                        time, time.plusNanos(1), time.plusNanos(2), time.plusMillis(1), time.plusSeconds(1))
                .map(each -> MessageIds.of(each, each.getNano() % 2 == 0 ? 0 : -1))
                .toList();

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void idsOfANanosecondDiffer() {
        Instant now = Instant.now();

        assertThat(MessageIds.of(now, 1)).isNotEqualTo(MessageIds.of(now, 1L << 34));
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
}
