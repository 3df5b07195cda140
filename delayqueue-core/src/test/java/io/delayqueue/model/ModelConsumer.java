package io.delayqueue.model;

import io.delayqueue.internal.store.CallId;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A consumer's calls: their ids, and how to repeat the last one of each kind. */
final class ModelConsumer {

    enum Kind {
        CLAIM,
        ACK,
        RETRY,
        EXTEND
    }

    final String name;
    private final Map<Kind, Long> last = new EnumMap<>(Kind.class);
    private final Map<Kind, Long> recorded = new EnumMap<>(Kind.class);
    private final Map<Kind, Runnable> repetitions = new EnumMap<>(Kind.class);

    ModelConsumer(String name) {
        this.name = name;
    }

    CallId next(Kind kind) {
        return new CallId(name, last.merge(kind, 1L, Long::sum), false);
    }

    CallId repeated(CallId callId) {
        return new CallId(name, callId.number(), true);
    }

    /** The id of a call that arrives late: before the last one that changed something. Null if there is none. */
    @Nullable
    CallId late(Kind kind) {
        Long number = recorded.get(kind);
        return number == null ? null : new CallId(name, number - 1, false);
    }

    /**
     * Records a call.
     *
     * @param didSomething whether the store has to recognise it; a call that changed nothing may run again
     * @param repetition repeats the call and compares its answers
     */
    void done(Kind kind, CallId callId, boolean didSomething, Runnable repetition) {
        if (didSomething) {
            recorded.put(kind, callId.number());
        }
        repetitions.put(kind, repetition);
    }

    void repeat(Kind kind) {
        repetitions.getOrDefault(kind, () -> {}).run();
    }
}
