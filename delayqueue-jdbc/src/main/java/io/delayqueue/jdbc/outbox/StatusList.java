package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.MessageStatus;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Lists of message states for SQL's {@code IN}. */
public final class StatusList {

    private StatusList() {}

    /** The states with a property as a list of SQL, such as {@code ('OUTBOX', 'BLOCKED')}. */
    public static String of(Predicate<MessageStatus> property) {
        return Stream.of(MessageStatus.values())
                .filter(property)
                .map(status -> "'" + status + "'")
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
