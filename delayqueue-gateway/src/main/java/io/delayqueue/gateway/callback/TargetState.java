package io.delayqueue.gateway.callback;

/** Whether this process calls a target. */
public enum TargetState {
    /** It is called. */
    CALLED,
    /** It asked for fewer calls, and is not called for the time that it named. */
    THROTTLED,
    /** It failed several times in succession. One call at a time is tried, after longer and longer breaks. */
    STOPPED,
    /** It is not called until an operator allows it again. */
    PAUSED
}
