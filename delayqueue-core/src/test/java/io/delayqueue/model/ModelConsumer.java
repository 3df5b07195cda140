package io.delayqueue.model;

import io.delayqueue.internal.store.CallId;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A consumer's turns, and what is to come of sending the last one of each kind once more. */
final class ModelConsumer {

    enum Kind {
        CLAIM,
        ACK,
        RETRY,
        EXTEND
    }

    final String name;
    private final Map<Kind, Long> last = new EnumMap<>(Kind.class);
    private final Map<Kind, Long> noted = new EnumMap<>(Kind.class);
    private final Map<Kind, Runnable> repetitions = new EnumMap<>(Kind.class);

    ModelConsumer(String name) {
        this.name = name;
    }

    CallId next(Kind kind) {
        return new CallId(name, last.merge(kind, 1L, Long::sum), false);
    }

    CallId repeated(CallId turn) {
        return new CallId(name, turn.number(), true);
    }

    /** A turn that came too late: before the last one that did something. Null if there is none. */
    @Nullable
    CallId late(Kind kind) {
        Long number = noted.get(kind);
        return number == null ? null : new CallId(name, number - 1, false);
    }

    /**
     * Notes a turn.
     *
     * @param didSomething whether the store has to know it: one that changed nothing may be done again
     * @param repetition sends it once more and compares
     */
    void done(Kind kind, CallId turn, boolean didSomething, Runnable repetition) {
        if (didSomething) {
            noted.put(kind, turn.number());
        }
        repetitions.put(kind, repetition);
    }

    void repeat(Kind kind) {
        repetitions.getOrDefault(kind, () -> {}).run();
    }
}
