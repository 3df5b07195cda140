package io.delayqueue.jdbc.relay;

import io.delayqueue.DuplicatePolicy;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The state that committed changes lead to if each is applied once, in the order of the commits. */
final class OrderModel {

    private final Map<String, Pending> pending = new HashMap<>();
    private final Map<Message, String> statuses = new LinkedHashMap<>();
    private final Set<String> ids = new TreeSet<>();

    /** A message that waits in Redis. */
    record Pending(String generation, int hours) {}

    /** A message in the journal. */
    record Message(String id, String generation) {}

    void schedule(String id, String generation, DuplicatePolicy policy, int hours) {
        ids.add(id);
        Pending former = pending.get(id);
        if (former != null && policy != DuplicatePolicy.REPLACE) {
            statuses.put(new Message(id, generation), policy == DuplicatePolicy.KEEP ? "KEPT" : "REJECTED");
            return;
        }
        if (former != null) {
            statuses.put(new Message(id, former.generation()), "REPLACED");
        }
        pending.put(id, new Pending(generation, hours));
        statuses.put(new Message(id, generation), "SCHEDULED");
    }

    void cancel(String id) {
        ids.add(id);
        Pending former = pending.remove(id);
        if (former != null) {
            statuses.put(new Message(id, former.generation()), "CANCELLED");
        }
    }

    void reschedule(String id, int hours) {
        ids.add(id);
        pending.computeIfPresent(id, (key, former) -> new Pending(former.generation(), hours));
    }

    /** All ids that were ever named. */
    Set<String> ids() {
        return ids;
    }

    Optional<Pending> pending(String id) {
        return Optional.ofNullable(pending.get(id));
    }

    /** The status of each message whose schedule was committed. */
    Map<Message, String> statuses() {
        return statuses;
    }
}
