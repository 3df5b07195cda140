package io.delayqueue.spring.listener;

import java.util.Objects;
import java.util.stream.Stream;

/** The causes of a failure, itself the first. */
final class Causes {

    /** Maximum number of causes looked at, since a chain of causes may be circular. */
    private static final int MAX_CAUSES = 100;

    private Causes() {}

    static Stream<Throwable> of(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MAX_CAUSES);
    }
}
