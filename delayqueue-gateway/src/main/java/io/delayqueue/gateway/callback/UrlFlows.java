package io.delayqueue.gateway.callback;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Flows of the URLs that messages name: while one fails or asks for fewer calls, the others of its host are still called. Only flows of
 * URLs that are called now or unavailable are kept. Thread-safe.
 */
final class UrlFlows {

    private final int most;
    private final Function<String, Flow> flowOfTarget;
    private final Map<String, Flow> flows = new ConcurrentHashMap<>();

    /**
     * All URLs are available.
     *
     * @param most largest number of URLs: further ones share their target's flow
     * @param flowOfTarget makes the flow of a target's URL
     */
    UrlFlows(int most, Function<String, Flow> flowOfTarget) {
        this.most = most;
        this.flowOfTarget = flowOfTarget;
    }

    /** The flow of a URL; null if there are too many. */
    @Nullable
    Flow of(String url, String target) {
        Flow known = flows.get(url);
        return known != null || flows.size() >= most
                ? known
                : flows.computeIfAbsent(url, key -> flowOfTarget.apply(target));
    }

    /** Forgets the flow of a URL that is available and not called. */
    void forgetIfQuiet(String url, Flow flow) {
        if (flow.isQuiet()) {
            flows.remove(url, flow);
        } else {
            flows.putIfAbsent(url, flow);
        }
    }

    /** Forgets the flows of URLs that were not called for long. */
    void forgetUnused() {
        flows.values().removeIf(Flow::isForgotten);
    }

    /** Puts the states of unavailable URLs. */
    void putStates(Map<String, TargetState> states) {
        flows.forEach((url, flow) -> {
            TargetState state = flow.state();
            if (state != TargetState.CALLED) {
                states.put(url, state);
            }
        });
    }

    /** Number of unavailable URLs in this state. */
    int count(TargetState state) {
        return state == TargetState.CALLED
                ? 0
                : (int) flows.values().stream()
                        .filter(flow -> flow.state() == state)
                        .count();
    }
}
