package io.delayqueue.benchmarks.report;

import java.util.List;
import java.util.function.Predicate;

/**
 * A part of the report: the tables of one scenario.
 *
 * @param scenario its name
 * @param title above it
 * @param text how it was measured, and what to make of it
 * @param tables its figures
 */
record Section(String scenario, String title, String text, List<Table> tables) {

    /**
     * A row for each peer, a column for each setting.
     *
     * @param figure of the samples
     * @param title above it
     * @param settings which have a column
     * @param ratios whether to tell how many times this library's figure it is, too
     */
    record Table(String figure, String title, Predicate<String> settings, boolean ratios) {

        /** With ratios and a column for every setting. */
        static Table of(String figure, String title) {
            return new Table(figure, title, setting -> true, true);
        }

        Table only(Predicate<String> wanted) {
            return new Table(figure, title, wanted, ratios);
        }

        Table withoutRatios() {
            return new Table(figure, title, settings, false);
        }
    }
}
