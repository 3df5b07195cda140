package io.delayqueue.gateway.sqs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class KnownTopicsTests {

    private final KnownTopics topics = new KnownTopics();

    @Test
    void namesAreKept() {
        assertThat(topics.now().isFresh()).isFalse();
        topics.keep(topics.now(), Set.of("orders"));
        assertThat(topics.now().names()).containsExactly("orders");
        assertThat(new KnownTopics.State(Set.of(), System.nanoTime() + 1_000_000_000).isFresh())
                .isTrue();
        assertThat(new KnownTopics.State(Set.of(), System.nanoTime() - 60_000_000_000L).isFresh())
                .isFalse();
    }

    /** One thread was about to keep them for longer, or to keep what it had read before. */
    @Test
    void forgottenNamesStayForgotten() {
        KnownTopics.State unread = topics.now();
        topics.forget();
        topics.keep(unread, Set.of("deleted"));
        assertThat(topics.now().names()).isNull();

        topics.keep(topics.now(), Set.of("deleted"));
        KnownTopics.State read = topics.now();
        topics.forget();
        topics.keep(read, Set.of("deleted"));
        assertThat(topics.now().names()).isNull();
        assertThat(topics.now().isFresh()).isFalse();
    }

    @Test
    void laterNamesAreNotReplacedByEarlierOnes() {
        KnownTopics.State before = topics.now();
        topics.keep(before, Set.of("a", "b"));
        topics.keep(before, Set.of("a"));
        assertThat(topics.now().names()).containsExactlyInAnyOrder("a", "b");
    }
}
