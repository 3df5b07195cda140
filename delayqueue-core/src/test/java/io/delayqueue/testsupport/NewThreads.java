package io.delayqueue.testsupport;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Threads of this JVM that were not there when this was made: those of an earlier test may still be ending. */
public final class NewThreads {

    private final Set<Thread> before = Thread.getAllStackTraces().keySet();

    /** Those that are alive now and whose name begins so. */
    public List<Thread> named(String prefix) {
        return stacks().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .toList();
    }

    /** Those that are alive now, each with its stack. */
    public Map<Thread, List<StackTraceElement>> stacks() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> !before.contains(entry.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> List.of(entry.getValue())));
    }
}
