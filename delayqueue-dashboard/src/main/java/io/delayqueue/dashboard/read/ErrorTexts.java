package io.delayqueue.dashboard.read;

/** A view with error texts, which may quote payloads. */
interface ErrorTexts {

    /** The same for callers who may not see payloads. */
    Object withoutErrors();
}
