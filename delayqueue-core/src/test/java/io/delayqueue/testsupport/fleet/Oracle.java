package io.delayqueue.testsupport.fleet;

import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Verdict.DuplicateCause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Judges the log of the workers by the promises. The library's word on its own leases is no evidence: a message may be
 * delivered again if Redis had its lease no longer, and a fault is known that hit the first worker.
 */
public final class Oracle {

    private Oracle() {}

    /** Judges all entries of one topic. */
    public static Verdict judge(List<Entry> entries, Evidence evidence) {
        Set<String> killed = entries.stream()
                .filter(entry -> entry.what() == What.KILLED)
                .map(Entry::worker)
                .collect(Collectors.toSet());
        Map<String, List<Entry>> byId = entries.stream()
                .filter(entry -> !entry.id().equals("-"))
                .collect(Collectors.groupingBy(Entry::id, LinkedHashMap::new, Collectors.toList()));
        Tally tally = new Tally(killed, evidence);
        byId.forEach(tally::add);
        return tally.verdict();
    }

    private static final class Tally {

        /** Claims are that early at most. */
        private static final long EARLY_CLAIM_MICROS = 25_000;

        private final Set<String> killed;
        private final Evidence evidence;
        private final List<String> lost = new ArrayList<>();
        private final List<String> invented = new ArrayList<>();
        private final List<String> early = new ArrayList<>();
        private final List<String> late = new ArrayList<>();
        private final List<String> unexplained = new ArrayList<>();
        private final Map<DuplicateCause, Integer> duplicates = new EnumMap<>(DuplicateCause.class);
        private int intended;
        private int acknowledged;
        private int observed;

        Tally(Set<String> killed, Evidence evidence) {
            this.killed = killed;
            this.evidence = evidence;
        }

        void add(String id, List<Entry> entries) {
            Entry intent = first(entries, What.INTENDED);
            List<Entry> begun = entries.stream()
                    .filter(entry -> entry.what() == What.BEGUN)
                    .sorted(Comparator.comparingLong(Entry::notBefore))
                    .toList();
            boolean promised = first(entries, What.ACKNOWLEDGED) != null;
            intended += intent == null ? 0 : 1;
            acknowledged += promised ? 1 : 0;
            observed += begun.isEmpty() ? 0 : 1;
            if (promised && first(entries, What.ENDED) == null) {
                lost.add(id);
            }
            if (intent == null) {
                if (!begun.isEmpty()) {
                    invented.add(id);
                }
                return;
            }
            for (Entry delivery : begun) {
                if (delivery.notAfter() < intent.notBefore() + intent.number()) {
                    early.add(id);
                }
                if (delivery.number() == 1 && isLate(delivery)) {
                    late.add(delivery.toString());
                }
            }
            for (int i = 1; i < begun.size(); i++) {
                explain(begun.get(i - 1), begun.get(i), entries);
            }
        }

        /** Whether it began too long after it was due, or after the last fault in the way was over. */
        private boolean isLate(Entry delivery) {
            return delivery.due() > 0 && evidence.isLate(delivery.worker(), delivery.due(), delivery.notBefore());
        }

        private void explain(Entry former, Entry again, List<Entry> entries) {
            DuplicateCause cause = cause(former, again, entries);
            if (cause == null) {
                unexplained.add(again.id() + " of " + entries);
            } else {
                duplicates.merge(cause, 1, Integer::sum);
            }
        }

        private @Nullable DuplicateCause cause(Entry former, Entry again, List<Entry> entries) {
            if (again.number() < former.number()) {
                // it may have been claimed first, and its process was paused before the handler began
                DuplicateCause claimedFirst = cause(again, former, entries);
                if (claimedFirst != null) {
                    return claimedFirst;
                }
            }
            long acks = countLike(former, What.ACKED, entries);
            boolean confirmed = acks > 0;
            // if a worker had the message before it was scheduled anew, an ack does not say for which delivery it is
            boolean allConfirmed = acks >= countLike(former, What.BEGUN, entries);
            if (!allConfirmed && again.number() > former.number() && leaseIsOver(former, again, entries)) {
                if (killed.contains(former.worker())) {
                    return DuplicateCause.CRASH;
                }
                long from = Math.min(former.notBefore(), again.notBefore());
                if (evidence.struck(former.worker(), from, Math.max(former.notAfter(), again.notAfter()))) {
                    return DuplicateCause.LEASE_LOST;
                }
            }
            // an ack whose reply was lost by the crash is not in the log
            boolean done = confirmed || killed.contains(former.worker());
            return done
                            && mayHaveBeenRepeated(entries)
                            && endedBeforeTheCall(former, entries)
                            && (again.number() == 1 || claimsMayHaveBeenLost(former, again, entries))
                    ? DuplicateCause.SCHEDULE_REPEATED
                    : null;
        }

        /** Whether the message, scheduled anew, may have had attempts that no handler began: claims whose replies a fault took. */
        private boolean claimsMayHaveBeenLost(Entry former, Entry again, List<Entry> entries) {
            Entry returned = first(entries, What.ACKNOWLEDGED);
            long leases = (again.number() - 1) * Evidence.micros(evidence.lease());
            return (returned == null || former.notBefore() <= returned.notAfter())
                    && again.notAfter() >= former.notBefore() + leases
                    && entries.stream()
                            .anyMatch(entry -> evidence.struck(entry.worker(), former.notBefore(), again.notAfter()));
        }

        /** Whether the leases of all attempts before this one had passed by Redis' clock, as far as Redis showed them. */
        private boolean leaseIsOver(Entry former, Entry again, List<Entry> entries) {
            Entry intent = first(entries, What.INTENDED);
            long firstClaim = intent == null ? 0 : intent.notBefore() + intent.number() - EARLY_CLAIM_MICROS;
            long leases = (again.number() - 1) * Evidence.micros(evidence.lease());
            return again.notAfter() >= firstClaim + leases
                    && !evidence.wasStillHeld(again.id(), former.number(), again.notAfter());
        }

        /** Whether its schedule call was sent twice: by the worker, or maybe by the library while a fault hit the worker. */
        private boolean mayHaveBeenRepeated(List<Entry> entries) {
            Entry intent = first(entries, What.INTENDED);
            Entry returned = first(entries, What.ACKNOWLEDGED);
            return first(entries, What.REPEATED) != null
                    || intent != null
                            && evidence.struck(
                                    intent.worker(),
                                    intent.notBefore(),
                                    returned == null ? Long.MAX_VALUE : returned.notAfter());
        }

        /** Whether the message was handled before its schedule call had returned: a repeated call then schedules it anew. */
        private static boolean endedBeforeTheCall(Entry former, List<Entry> entries) {
            Entry returned = first(entries, What.ACKNOWLEDGED);
            return entries.stream()
                    .anyMatch(entry -> entry.what() == What.ENDED
                            && entry.worker().equals(former.worker())
                            && entry.number() == former.number()
                            && (returned == null || entry.notBefore() <= returned.notAfter()));
        }

        private static long countLike(Entry delivery, What what, List<Entry> entries) {
            return entries.stream()
                    .filter(entry -> entry.what() == what
                            && entry.worker().equals(delivery.worker())
                            && entry.number() == delivery.number())
                    .count();
        }

        private static @Nullable Entry first(List<Entry> entries, What what) {
            return entries.stream()
                    .filter(entry -> entry.what() == what)
                    .findFirst()
                    .orElse(null);
        }

        Verdict verdict() {
            return new Verdict(intended, acknowledged, observed, lost, invented, early, late, duplicates, unexplained);
        }
    }
}
