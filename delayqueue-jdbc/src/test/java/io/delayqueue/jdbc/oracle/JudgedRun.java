package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The facts of a run that an oracle judges. Times are ms here. */
abstract class JudgedRun {

    final List<Work> work = new ArrayList<>();
    final List<Note> notes = new ArrayList<>();
    final List<Strike> strikes = new ArrayList<>();
    final Set<String> refused = new HashSet<>();
    final Map<String, Long> over = new HashMap<>();
    OutboxLooks looks = new OutboxLooks();

    Verdict judge() {
        return JournalOracle.judge(Evidence.of(work, notes, refused, over, strikes, looks, micros(1_000)));
    }

    void scheduled(String version, long at, long delay) {
        change(Kind.SCHEDULE, version, at, at + delay);
    }

    /** All by one transaction. */
    void change(Kind kind, String version, long at, long due) {
        work.add(new Work(work.size() + 1, "tx", "m", kind, version, micros(at), micros(due), true));
    }

    void returned(long at) {
        notes.add(new Note("a", What.RETURNED, "tx", "-", 0, micros(at)));
    }

    void seen(long at, String... ids) {
        looks.add(micros(at), Set.of(ids));
    }

    void delivered(String instance, String version, int attempt, long at) {
        note(instance, What.BEGUN, version, attempt, at);
        note(instance, What.ENDED, version, attempt, at + 10);
    }

    void failed(String kind, long at) {
        notes.add(new Note("a", What.FAILED, kind, "SomeException", 0, micros(at)));
    }

    void note(String instance, What what, String version, int attempt, long at) {
        notes.add(new Note(instance, what, "m", version, attempt, micros(at)));
    }

    static long micros(long millis) {
        return millis * 1_000;
    }
}
