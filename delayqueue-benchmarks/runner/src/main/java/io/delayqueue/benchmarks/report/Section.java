package io.delayqueue.benchmarks.report;

import java.util.List;
import java.util.function.Predicate;

/**
 * A section of the report: the tables of one scenario.
 *
 * @param scenario its name
 * @param title above it
 * @param text how it was measured, and how to read it
 * @param tables its figures
 * @param figuresAsRows whether each peer has one table with a row for each figure, instead of a table for each figure
 */
record Section(String scenario, String title, String text, List<Table> tables, boolean figuresAsRows) {

    /** A table for each figure, with a row for each peer. */
    Section(String scenario, String title, String text, List<Table> tables) {
        this(scenario, title, text, tables, false);
    }

    /** For a scenario of few peers. */
    Section withFiguresAsRows() {
        return new Section(scenario, title, text, tables, true);
    }

    /**
     * A table with a row for each peer and a column for each setting.
     *
     * @param figure of the samples
     * @param title above it
     * @param settings selects the columns
     * @param ratios whether cells begin with the figure ÷ this library's
     */
    record Table(String figure, String title, Predicate<String> settings, boolean ratios) {

        /** A table with ratios and a column for every setting. */
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
