package io.delayqueue.testsupport.proxy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** The action of a {@link FaultyProxy} on certain requests, and their number. */
public final class Rule {

    private final Predicate<Request> matching;
    private final int times;
    private final Action action;
    private final AtomicInteger count = new AtomicInteger();

    Rule(Predicate<Request> matching, int times, Action action) {
        this.matching = matching;
        this.times = times;
        this.action = action;
    }

    /** Number of requests that it was applied to. */
    public int count() {
        return count.get();
    }

    boolean matches(Request request) {
        return matching.test(request) && count.getAndUpdate(used -> Math.min(used + 1, times)) < times;
    }

    Action action() {
        return action;
    }

    /** Handles a request. */
    interface Action {
        void apply(ProxiedConnection connection, Request request) throws IOException;
    }
}
