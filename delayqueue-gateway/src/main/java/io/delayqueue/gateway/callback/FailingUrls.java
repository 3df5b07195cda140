package io.delayqueue.gateway.callback;

import org.jspecify.annotations.Nullable;

/** Tells an unavailable target from a single unavailable URL: several URLs fail, with no answer in between. Not thread-safe. */
final class FailingUrls {

    private @Nullable String first;
    private boolean areSeveral;

    /** A call found a URL unavailable. Returns whether its target is, too. */
    boolean add(String url) {
        if (first == null) {
            first = url;
        }
        areSeveral |= !first.equals(url);
        return areSeveral;
    }

    /** A call was answered. */
    void clear() {
        first = null;
        areSeveral = false;
    }
}
