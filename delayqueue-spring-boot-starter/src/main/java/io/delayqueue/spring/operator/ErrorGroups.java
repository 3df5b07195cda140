package io.delayqueue.spring.operator;

import java.util.List;

/**
 * The latest dead letters of a topic by their errors.
 *
 * @param examined number of dead letters that were examined, the latest ones: at most {@link #MAX_EXAMINED}
 * @param groups the groups, largest first
 */
public record ErrorGroups(int examined, List<ErrorGroup> groups) {

    /** Maximum number of dead letters examined. Fewer are, if their payloads come to more than 64 MiB. */
    public static final int MAX_EXAMINED = 1_000;

    public ErrorGroups {
        groups = List.copyOf(groups);
    }
}
