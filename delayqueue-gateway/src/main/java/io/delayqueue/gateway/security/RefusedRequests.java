package io.delayqueue.gateway.security;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests of an endpoint that a limit refused, by the code of the error in their answers. Thread-safe. */
public final class RefusedRequests {

    private final Map<String, LongAdder> counts = new LinkedHashMap<>();

    /**
     * No request was refused.
     *
     * @param errors codes of the errors that tell of a bound
     */
    public RefusedRequests(Collection<String> errors) {
        errors.forEach(error -> counts.put(error, new LongAdder()));
    }

    /** Counts an answer with an error, if that is one of a refusal. */
    public void answered(String error) {
        LongAdder count = counts.get(error);
        if (count != null) {
            count.increment();
        }
    }

    /** The codes. */
    public Set<String> errors() {
        return Set.copyOf(counts.keySet());
    }

    /** Number of requests refused with an error; zero for one that is none of the codes. */
    public long count(String error) {
        LongAdder count = counts.get(error);
        return count == null ? 0 : count.sum();
    }
}
