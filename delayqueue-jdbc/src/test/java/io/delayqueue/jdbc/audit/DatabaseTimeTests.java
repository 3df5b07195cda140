package io.delayqueue.jdbc.audit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Times of this process by the database's clock. */
class DatabaseTimeTests {

    private final DatabaseTime time = new DatabaseTime(1_800_000_000_000_000L, 5_000_000_000L);

    @Test
    void countsFromTheReply() {
        assertThat(time.at(5_000_000_000L)).isEqualTo(1_800_000_000_000_000L);
        assertThat(time.at(3_000_000_000L)).isEqualTo(1_799_999_998_000_000L);
    }

    @Test
    void isBeforeByNoMoreThanAClockMayLeaveOut() {
        assertThat(time.before(5_000_000_000L)).isEqualTo(1_799_999_999_999_000L);
    }
}
