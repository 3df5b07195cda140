package io.delayqueue.gateway.callback;

import org.jspecify.annotations.Nullable;

/** Tells trouble of a target from that of one of its URLs: several URLs have it, with no answer in between. Not thread-safe. */
final class UrlsInTrouble {

    private @Nullable String first;
    private boolean areSeveral;

    /** A call to a URL was in trouble. Returns whether that is its target's trouble. */
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
