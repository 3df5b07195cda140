package io.delayqueue.testsupport.proxy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** What a {@link FaultyProxy} does with certain requests. Counts them. */
public final class Rule {

    private final Predicate<Request> which;
    private final int times;
    private final Action action;
    private final AtomicInteger met = new AtomicInteger();

    Rule(Predicate<Request> which, int times, Action action) {
        this.which = which;
        this.times = times;
        this.action = action;
    }

    /** How many requests met it. */
    public int count() {
        return met.get();
    }

    boolean takes(Request request) {
        return which.test(request) && met.getAndUpdate(count -> Math.min(count + 1, times)) < times;
    }

    Action action() {
        return action;
    }

    /** What is done. */
    interface Action {
        void apply(ProxiedConnection connection, Request request) throws IOException;
    }
}
