package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RemovalProgressTests {

    private final RestoreProgress told = new RestoreProgress("orders:7", 512, 0, 9_000, 100_000, Duration.ZERO);

    @Test
    void isReadFromTheTextThatPeopleRead() {
        String text = RemovalProgress.text(told, 510);

        assertThat(text)
                .isEqualTo("topic orders:7: 512 compared, 0 restored, 510 removed, 9000/s, 100000 or more remaining");
        assertThat(RemovalProgress.of(text)).isEqualTo(new RemovalProgress(512, 510));
    }

    @Test
    void isNoneIfNothingOrSomethingElseIsTold() {
        assertThat(RemovalProgress.of(null)).isEqualTo(RemovalProgress.NONE);
        assertThat(RemovalProgress.of("topic orders: 512 compared, 0 restored, 9000/s, 0 remaining"))
                .isEqualTo(RemovalProgress.NONE);
    }

    @Test
    void aBeginningAndEachMessageAreProgress() {
        assertThat(RemovalProgress.NONE.isBefore(new RemovalProgress(0, 0))).isTrue();
        assertThat(new RemovalProgress(0, 0).isBefore(new RemovalProgress(1, 0)))
                .isTrue();
        assertThat(new RemovalProgress(7, 3).isBefore(new RemovalProgress(7, 4)))
                .isTrue();
        assertThat(new RemovalProgress(7, 3).isBefore(new RemovalProgress(7, 3)))
                .isFalse();
        assertThat(new RemovalProgress(7, 3).isBefore(RemovalProgress.NONE)).isFalse();
    }

    /** Messages that the first removal compared are compared again; those that it removed are gone. */
    @Test
    void aRepetitionThatRemovesNothingIsNoProgressUntilItIsFarther() {
        RemovalProgress first = RemovalProgress.NONE.with(new RemovalProgress(500, 400));

        assertThat(first.isBefore(new RemovalProgress(500, 0))).isFalse();
        assertThat(first.with(new RemovalProgress(500, 0))).isEqualTo(first);
        assertThat(first.isBefore(new RemovalProgress(501, 0))).isTrue();
    }

    /** The one before died. */
    @Test
    void aRepetitionThatRemovesTheRestIsProgress() {
        RemovalProgress first = new RemovalProgress(500, 400);

        assertThat(first.isBefore(new RemovalProgress(64, 60))).isTrue();
        assertThat(first.with(new RemovalProgress(64, 60)).isBefore(new RemovalProgress(64, 60)))
                .isFalse();
    }
}
