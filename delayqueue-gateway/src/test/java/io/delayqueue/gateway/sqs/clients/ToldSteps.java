package io.delayqueue.gateway.sqs.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/** The steps that the programs told of, and the rules for them. Programs and Redis have the clock of one machine. Thread-safe. */
final class ToldSteps {

    private final long visibilityMicros;
    private final TreeMap<Integer, Entry> entries = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private int late;

    /** @param visibility visibility timeout of all receives */
    ToldSteps(Duration visibility) {
        this.visibilityMicros = visibility.toNanos() / 1_000;
    }

    /** A line of a program. */
    synchronized void told(String line) {
        String[] words = line.split(" ");
        if (words[1].equals("last")) {
            return;
        }
        Entry entry = entries.computeIfAbsent(Integer.valueOf(words[1]), number -> new Entry());
        switch (words[0]) {
            case "sending" -> entry.earliest = Long.parseLong(words[2]);
            case "sent" -> entry.sent = true;
            case "got" ->
                entry.receives.add(
                        new Receive(Long.parseLong(words[2]), Long.parseLong(words[3]), Integer.parseInt(words[4])));
            case "deleting" -> entry.deleting = true;
            case "deleted" -> deleted(entry, Long.parseLong(words[2]), Long.parseLong(words[3]));
            default -> violations.add("no step: " + line);
        }
    }

    /** A receipt whose visibility timeout may have been over deletes nothing. */
    private void deleted(Entry entry, long asked, long answered) {
        if (answered - asked < visibilityMicros) {
            entry.deletedAt = answered;
        } else {
            late++;
        }
    }

    synchronized void violation(String text) {
        violations.add(text);
    }

    /** The number after the last message that was begun. */
    synchronized int nextNumber() {
        return entries.isEmpty() ? 0 : entries.lastKey() + 1;
    }

    /**
     * Checks all, when the queue is empty.
     *
     * @param accepted messages that the queue took
     * @param deaths programs that were killed
     */
    synchronized void check(long accepted, int deaths) {
        long sent = entries.values().stream().filter(entry -> entry.sent).count();
        System.out.println("Killed workers: " + sent + " sent, "
                + entries.values().stream()
                        .mapToInt(entry -> entry.receives.size())
                        .sum() + " received, " + late + " deleted late, " + deaths + " deaths");
        assertThat(violations).isEmpty();
        assertThat(accepted).as("messages").isBetween(sent, (long) entries.size());
        entries.forEach((number, entry) -> check("message " + number, entry));
    }

    private void check(String name, Entry entry) {
        if (entry.sent) {
            assertThat(entry.deleting).as("a program handled %s", name).isTrue();
        }
        // lines of several programs are read in any order
        entry.receives.sort(Comparator.comparingLong(Receive::got));
        long free = entry.earliest;
        int told = 0;
        for (Receive receive : entry.receives) {
            told++;
            assertThat(receive.got).as("%s is due, and in nobody's hand", name).isGreaterThanOrEqualTo(free);
            // a receive that its program was not told of counts, too, and hides the message for as long
            long most = 1 + (receive.got - entry.earliest) / visibilityMicros;
            assertThat((long) receive.count).as("receives of %s", name).isBetween((long) told, most);
            if (entry.deletedAt != 0) {
                assertThat(receive.asked).as("%s was deleted", name).isLessThanOrEqualTo(entry.deletedAt);
            }
            // its lease began after the client asked
            free = receive.asked + visibilityMicros;
        }
    }

    /** Times in microseconds: when a program asked and got the answer; and the number of receives that it was told. */
    private record Receive(long asked, long got, int count) {}

    /** A message. */
    private static final class Entry {

        private long earliest;
        private boolean sent;
        private boolean deleting;
        private long deletedAt;
        private final List<Receive> receives = new ArrayList<>();
    }
}
