package io.delayqueue.spring;

import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/** Logs operations that won't be made, so that they can be made up for by hand. */
final class LostOperations {

    /** Keeps a line short enough for log shippers, at some 50 characters an operation. */
    private static final int MAX_OPERATIONS_A_LINE = 100;

    private LostOperations() {}

    /** Logs all of them, by topic and id. */
    static void log(Logger log, String fate, List<AfterCommitOperation<?>> operations) {
        for (int from = 0; from < operations.size(); from += MAX_OPERATIONS_A_LINE) {
            List<AfterCommitOperation<?>> some =
                    operations.subList(from, Math.min(operations.size(), from + MAX_OPERATIONS_A_LINE));
            log.error(
                    "Delay queue operations were {}: {}",
                    fate,
                    some.stream().map(Object::toString).collect(Collectors.joining(", ")));
        }
    }
}
