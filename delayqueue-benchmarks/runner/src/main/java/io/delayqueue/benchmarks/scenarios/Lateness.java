package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.worker.Line;
import io.delayqueue.benchmarks.worker.Times;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The lateness of messages, counted for all peers alike: since the begin of the schedule call and the delay, and since its return and the
 * delay. A message is early if it was handled before the due time that the peer reports or, if it reports none, before the begin of the
 * call, in whole milliseconds, plus the delay. A missing message counts with its lateness at the end;
 * one whose call did not return counts since the call's begin in both.
 *
 * @param sinceCall µs, of each message that counts
 * @param sinceReturn µs, of each message that counts
 * @param calls durations of the schedule calls from their planned begin, µs
 * @param early messages
 * @param missing messages
 */
record Lateness(long[] sinceCall, long[] sinceReturn, long[] calls, int early, int missing) {

    private static final int SAMPLE_WITH_P99 = 100;
    private static final int SAMPLE_WITH_P999 = 1_000;

    /**
     * Compares the times of calls with those of the processes that shared the messages.
     *
     * @param calls answer to {@code paced}
     * @param handled answers to {@code times}
     */
    static Lateness of(SteadyRate rate, Line calls, List<Line> handled) {
        long[] called = Times.decode(calls.text("called"));
        long[] returned = Times.decode(calls.text("returned"));
        long[] entered = earliest(rate, handled, "entered");
        long[] due = earliest(rate, handled, "due");
        long end = handled.stream().mapToLong(each -> each.number("now")).max().orElseThrow();
        Lateness lateness = new Lateness(new long[rate.count()], new long[rate.count()], new long[rate.count()], 0, 0);
        int early = 0;
        int missing = 0;
        for (int i = 0; i < rate.count(); i++) {
            int n = rate.warmUp() + i;
            long delay = rate.delayMillis() * 1_000L;
            long at = entered[n] == 0 ? end : entered[n];
            long answered = returned[n] == 0 ? called[n] : returned[n];
            long notBefore = due[n] > 0 ? due[n] : called[n] / 1_000 * 1_000 + delay;
            missing += entered[n] == 0 ? 1 : 0;
            early += at < notBefore ? 1 : 0;
            lateness.sinceCall[i] = Math.max(0, at - called[n] - delay);
            lateness.sinceReturn[i] = Math.max(0, at - answered - delay);
            long planned = calls.number("start") + rate.period().toNanos() * n / 1_000;
            lateness.calls[i] = Math.max(0, (returned[n] == 0 ? end : returned[n]) - planned);
        }
        return new Lateness(lateness.sinceCall, lateness.sinceReturn, lateness.calls, early, missing);
    }

    /** The times at which any of these processes had each message; 0 if none had it. */
    private static long[] earliest(SteadyRate rate, List<Line> handled, String key) {
        long[] earliest = new long[rate.all()];
        for (Line each : handled) {
            long[] times = Times.decode(each.text(key));
            int offset = rate.first() - (int) each.number("first");
            for (int n = 0; n < earliest.length; n++) {
                long time = times[n + offset];
                if (time > 0 && (earliest[n] == 0 || time < earliest[n])) {
                    earliest[n] = time;
                }
            }
        }
        return earliest;
    }

    /** All of it, in ms; a percentile is there if the sample has it. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new HashMap<>();
        put(figures, Figures.SINCE_CALL, sinceCall);
        put(figures, Figures.SINCE_RETURN, sinceReturn);
        put(figures, "call", calls);
        long[] lastQuarter = Arrays.copyOfRange(sinceCall, sinceCall.length * 3 / 4, sinceCall.length);
        figures.put("lastQuarterP50", percentile(sorted(lastQuarter), 50));
        figures.put("early", (double) early);
        figures.put("missing", (double) missing);
        return figures;
    }

    private static void put(Map<String, Double> figures, String prefix, long[] micros) {
        long[] sorted = sorted(micros);
        figures.put(prefix + "P50", percentile(sorted, 50));
        if (sorted.length >= SAMPLE_WITH_P99) {
            figures.put(prefix + "P99", percentile(sorted, 99));
        }
        if (sorted.length >= SAMPLE_WITH_P999) {
            figures.put(prefix + "P999", percentile(sorted, 99.9));
        }
        figures.put(prefix + "Max", percentile(sorted, 100));
    }

    private static long[] sorted(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    /** The least value that this share of the sample does not exceed, in ms. */
    private static double percentile(long[] sorted, double percent) {
        int rank = (int) Math.ceil(sorted.length * percent / 100);
        return sorted[Math.max(0, rank - 1)] / 1e3;
    }
}
