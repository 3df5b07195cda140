package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.outbox.StatusList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MessageStatusTests {

    private static final List<Predicate<MessageStatus>> KINDS = List.of(
            MessageStatus::isUnsent, MessageStatus::isInRedis, MessageStatus::isRefused, MessageStatus::hasEnded);

    /** A new status that nobody has thought of would never be restored, deleted or overwritten. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OTHER")
    void eachIsOfOneKind(MessageStatus status) {
        assertThat(KINDS.stream().filter(kind -> kind.test(status))).hasSize(1);
        assertThat(MessageStatus.of(status.name())).isEqualTo(status);
    }

    @Test
    void nothingIsKnownOfAStatusOfANewerVersion() {
        MessageStatus newer = MessageStatus.of("NEWER");
        assertThat(newer).isEqualTo(MessageStatus.OTHER);
        assertThat(KINDS).noneMatch(kind -> kind.test(newer));
        assertThat(newer.isFinished()).isFalse();
    }

    @Test
    void listsOfSqlAreInTheOrderOfALife() {
        assertThat(StatusList.of(MessageStatus::isInRedis)).isEqualTo("('SCHEDULED', 'IN_FLIGHT', 'DEAD')");
    }
}
