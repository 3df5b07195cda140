package io.delayqueue.spring.observation;

/** How the span of a listener's call belongs to the span that scheduled its message. */
public enum HandlerSpan {

    /** It is a child: one trace leads from the request to the listener, however long the delay. */
    CHILD,

    /** It begins a trace of its own, with a link to the span that scheduled: for systems that close a trace after some minutes. */
    LINK
}
