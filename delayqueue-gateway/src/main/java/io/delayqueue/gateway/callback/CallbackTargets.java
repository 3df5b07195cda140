package io.delayqueue.gateway.callback;

import io.delayqueue.gateway.log.RareWarnings;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The targets of callbacks. A target is a host, or a key that the configuration gives to a topic. A URL that answers with status 410 is
 * paused, in all instances, until {@link #resume}, as if it were a target of its own: its key is the host, a tilde, and twelve digits of
 * the SHA-256 of the URL. Other URLs of the host are called as before. Safe for use by many threads.
 */
public final class CallbackTargets {

    private static final Logger log = LoggerFactory.getLogger(CallbackTargets.class);

    /** Messages may name their hosts: above this number, idle ones are forgotten. */
    private static final int MOST = 10_000;

    /** Each message may name a URL of its own, and all paused ones are read together. Messages to further ones that are gone fail. */
    static final int MOST_PAUSED = 1_000;

    private static final long LOOK_NANOS = Duration.ofSeconds(10).toNanos();

    private final Function<String, FlowLimits> limits;
    private final PausedTargets paused;
    private final RareWarnings tooMany = new RareWarnings(log, System::nanoTime);
    private final Map<String, Flow> flows = new ConcurrentHashMap<>();
    private final UrlFlows urls;
    private final LongSupplier nanoTime;
    private final AtomicLong nextLook;

    /** @param limits of each target */
    CallbackTargets(Function<String, FlowLimits> limits, PausedTargets paused) {
        this(limits, paused, System::nanoTime);
    }

    /** @param nanoTime {@link System#nanoTime()} */
    CallbackTargets(Function<String, FlowLimits> limits, PausedTargets paused, LongSupplier nanoTime) {
        this.limits = limits;
        this.paused = paused;
        this.urls = new UrlFlows(MOST, target -> newFlow(limits.apply(target).ofOneUrl()));
        this.nanoTime = nanoTime;
        this.nextLook = new AtomicLong(nanoTime.getAsLong() + LOOK_NANOS);
    }

    /**
     * States of the targets that this process called lately, of URLs that are unavailable alone, and of all that are paused. Waits for
     * Redis.
     *
     * @throws org.springframework.dao.DataAccessException if Redis does not answer
     */
    public Map<String, TargetState> states() {
        Map<String, TargetState> states = new TreeMap<>();
        flows.forEach((target, flow) -> states.put(target, flow.state()));
        states.replaceAll((target, state) -> state == TargetState.PAUSED ? TargetState.CALLED : state);
        urls.putStates(states);
        paused.all().keySet().forEach(target -> states.put(target, TargetState.PAUSED));
        return states;
    }

    /**
     * Number of targets and URLs in this state: those that this process called lately, and for {@link TargetState#PAUSED} all that are
     * paused, as far as this process knows. Does not wait for Redis.
     */
    public int count(TargetState state) {
        if (state == TargetState.PAUSED) {
            return paused.size();
        }
        return urls.count(state)
                + (int) flows.values().stream()
                        .filter(flow -> flow.state() == state)
                        .count();
    }

    /**
     * Pauses a target or URL in all instances, within two seconds of the next message. Its messages are postponed by 60 to 90 s at a
     * time, and no attempt is counted. Waits for Redis.
     *
     * @throws org.springframework.dao.DataAccessException if Redis does not answer
     */
    public void pause(String target) {
        paused.save(target);
        log.info("Target '{}' of callbacks is paused", target);
    }

    /**
     * Ends the pause of a target or URL. Its messages are sent within 90 s. Waits for Redis. No effect on one that is not paused.
     *
     * @throws org.springframework.dao.DataAccessException if Redis does not answer
     */
    public void resume(String target) {
        paused.remove(target);
        log.info("Target '{}' of callbacks is resumed", target);
    }

    /**
     * Asks for a call. May read Redis.
     *
     * @param url key of the URL to call
     * @param isOneOfMany whether messages name the target's URLs: then an unavailable URL stops no other
     * @param message text that tells the message from others
     */
    Admission admit(String target, String url, boolean isOneOfMany, String message) {
        boolean isPaused = paused.contains(target);
        Flow flow = flow(target);
        if (flow.isPaused() != isPaused) {
            flow.pause(isPaused);
        }
        if (!isPaused && paused.contains(url)) {
            return flow.refusedByPause();
        }
        Flow flowOfUrl = isOneOfMany && !isPaused ? urls.of(url, target) : null;
        if (flowOfUrl == null) {
            return flow.admit(message);
        }
        Admission admissionOfUrl = flowOfUrl.admit(message);
        if (!(admissionOfUrl instanceof Admission.Granted ofUrl)) {
            return admissionOfUrl;
        }
        Admission admission = flow.admit(message);
        if (admission instanceof Admission.Granted granted) {
            return granted.with(new Admission.OfUrl(url, flowOfUrl, ofUrl));
        }
        flowOfUrl.withdrawn(ofUrl);
        urls.forgetIfQuiet(url, flowOfUrl);
        return admission;
    }

    /** A granted call has ended. */
    void ended(String target, Admission.Granted granted, CallbackOutcome outcome) {
        Flow flow = flow(target);
        Admission.OfUrl ofUrl = granted.ofUrl();
        if (ofUrl == null) {
            logged(target, flow, outcome, () -> flow.ended(granted, outcome));
            return;
        }
        logged(ofUrl.url(), ofUrl.flow(), outcome, () -> ofUrl.flow().ended(ofUrl.granted(), outcome));
        urls.forgetIfQuiet(ofUrl.url(), ofUrl.flow());
        logged(target, flow, outcome, () -> flow.ended(granted, outcome, ofUrl.url()));
    }

    private static void logged(String name, Flow flow, CallbackOutcome outcome, Runnable change) {
        TargetState before = flow.state();
        change.run();
        TargetState now = flow.state();
        if (now != before) {
            log.atLevel(now == TargetState.CALLED ? Level.INFO : Level.WARN)
                    .log("Target '{}' of callbacks changed from {} to {}: {}", name, before, now, outcome.reason());
        }
    }

    /**
     * Pauses a URL that is gone: in this process at once, in the others when Redis has it. Waits for Redis.
     *
     * @param url its key
     * @param said the answer that said so, for the log
     * @return whether it is paused: not if too many are
     */
    boolean gone(String url, String said) {
        if (paused.contains(url)) {
            return true;
        }
        if (paused.size() >= MOST_PAUSED) {
            tooMany.warn(
                    MOST_PAUSED + " targets of callbacks are paused, the maximum, so '" + url
                            + "' is still called although it answered 410 Gone: " + said,
                    null);
            return false;
        }
        paused.add(url);
        log.warn("Callback URL '{}' answered 410 Gone and is paused until it is resumed: {}", url, said);
        paused.saveAdded();
        return true;
    }

    /** A granted call was not made, or its end is not known. */
    void withdrawn(String target, Admission.Granted granted) {
        Admission.OfUrl ofUrl = granted.ofUrl();
        if (ofUrl != null) {
            ofUrl.flow().withdrawn(ofUrl.granted());
            urls.forgetIfQuiet(ofUrl.url(), ofUrl.flow());
        }
        flow(target).withdrawn(granted);
    }

    /** Whether the last call of a target was answered. */
    boolean answers(String target) {
        Flow flow = flows.get(target);
        return flow != null && flow.answers();
    }

    /** Looks at all flows now and then only: there may be thousands. */
    private void forgetSome() {
        long now = nanoTime.getAsLong();
        long next = nextLook.get();
        if (now - next >= 0 && nextLook.compareAndSet(next, now + LOOK_NANOS)) {
            flows.values().removeIf(Flow::isForgotten);
            urls.forgetUnused();
            if (flows.size() >= MOST) {
                flows.values().removeIf(Flow::isIdle);
            }
        }
    }

    private Flow flow(String target) {
        forgetSome();
        return flows.computeIfAbsent(target, key -> newFlow(limits.apply(key)));
    }

    private Flow newFlow(FlowLimits of) {
        return new Flow(of, nanoTime, () -> ThreadLocalRandom.current().nextDouble());
    }
}
