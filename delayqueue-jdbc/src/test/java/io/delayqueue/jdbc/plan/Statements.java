package io.delayqueue.jdbc.plan;

import java.util.regex.Pattern;

/** Texts of statements. */
final class Statements {

    private static final Pattern ROWS = Pattern.compile("(\\([^()]*(?:\\([^()]*\\)[^()]*)*\\))(, \\1)+");
    private static final Pattern KEYS = Pattern.compile("\\((\\?)(, \\?)+\\)");
    private static final Pattern PAIRS = Pattern.compile("\\((id = \\? AND generation = \\?)( OR \\1)*\\)");

    private static final Pattern SELECTED = Pattern.compile("\\(SELECT \\? AS id( UNION ALL SELECT \\?)*\\)");

    private static final Pattern SAME = Pattern.compile("^(.+?)(?: UNION ALL \\1)+$");

    private Statements() {}

    /** A statement without repetitions for further rows or keys. */
    static String anyNumberOfKeys(String sql) {
        String shorter = PAIRS.matcher(sql).replaceAll("($1 …)");
        shorter = KEYS.matcher(shorter).replaceAll("(? …)").replace("IN (?)", "IN (? …)");
        shorter = SELECTED.matcher(shorter).replaceAll("(SELECT ? AS id …)");
        shorter = SAME.matcher(shorter).replaceAll("$1");
        int values = shorter.indexOf(" VALUES ");
        return values < 0
                ? shorter
                : shorter.substring(0, values)
                        + ROWS.matcher(shorter.substring(values)).replaceAll("$1 …");
    }
}
