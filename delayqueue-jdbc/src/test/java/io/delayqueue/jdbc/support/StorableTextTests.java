package io.delayqueue.jdbc.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StorableTextTests {

    @Test
    void ordinaryTextStaysAsItIs() {
        assertThat(StorableText.cut("", 3)).isEmpty();
        assertThat(StorableText.cut("ab🛒", 4)).isEqualTo("ab🛒");
        assertThat(StorableText.cut("line\n\ttab", 100)).isEqualTo("line\n\ttab");
    }

    @Test
    void longTextIsCutBetweenCharacters() {
        assertThat(StorableText.cut("abcd", 3)).isEqualTo("abc");
        assertThat(StorableText.cut("ab🛒d", 3)).isEqualTo("ab");
        assertThat(StorableText.cut("🛒", 1)).isEmpty();
    }

    @Test
    void charactersThatDatabasesRefuseAreReplaced() {
        assertThat(StorableText.cut("a\0b", 10)).isEqualTo("a\ufffdb");
        assertThat(StorableText.cut("a\ud83d", 10)).isEqualTo("a\ufffd");
        assertThat(StorableText.cut("\udc00\ud83db", 10)).isEqualTo("\ufffd\ufffdb");
    }
}
