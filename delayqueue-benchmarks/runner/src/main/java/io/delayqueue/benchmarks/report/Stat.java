package io.delayqueue.benchmarks.report;

import java.util.List;
import java.util.Locale;

/**
 * The median, minimum and maximum of a figure over the rounds.
 *
 * @param median the figure that counts
 * @param min the least of the rounds
 * @param max the most of the rounds
 */
record Stat(double median, double min, double max) {

    static Stat of(List<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no values");
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Stat(median, sorted.get(0), sorted.get(sorted.size() - 1));
    }

    /** {@code 12.3 (11.9–14.0)}, or {@code 12.3} if all rounds show the same. */
    @Override
    public String toString() {
        String middle = text(median);
        String range = text(min) + "–" + text(max);
        return range.equals(middle + "–" + middle) ? middle : middle + " (" + range + ")";
    }

    /** Three significant digits, or 0. */
    static String text(double value) {
        if (value == 0) {
            return "0";
        }
        double size = Math.abs(value);
        String format = size >= 1_000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }
}
