package io.delayqueue.spring.operator;

import java.util.Objects;
import java.util.Set;

/**
 * The user behind a call of {@link DelayQueueOperator}. The maker of a caller has checked the user.
 *
 * @param name the user's name in logs and audit events, not empty
 * @param rights the user's rights
 */
public record Caller(String name, Set<Right> rights) {
    public Caller {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a caller needs a name");
        }
        rights = Set.copyOf(rights);
    }

    /** Whether the caller has a right. */
    public boolean has(Right right) {
        return rights.contains(right);
    }

    /** @throws MissingRightException if the caller lacks the right */
    void require(Right right) {
        if (!has(right)) {
            throw new MissingRightException(this, right, right.words());
        }
    }
}
