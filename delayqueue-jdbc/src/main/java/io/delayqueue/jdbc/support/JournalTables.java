package io.delayqueue.jdbc.support;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of the journal's tables, which share a prefix.
 *
 * @param prefix letters, digits and underscores, such as {@code delayqueue_}; a schema's name and a dot may stand before them
 */
public record JournalTables(String prefix) {

    /** Prefix of the tables as the scripts name them. */
    public static final String DEFAULT_PREFIX = "delayqueue_";

    /** PostgreSQL cuts names after 63 characters: this leaves room for the longest name of an index. */
    private static final Pattern VALID =
            Pattern.compile("(?:[A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,31}");

    private static final Pattern NAME = Pattern.compile("\\b" + DEFAULT_PREFIX);

    /** Behind these words a script names a table. */
    private static final Pattern OF_TABLE =
            Pattern.compile("((?:CREATE TABLE (?:IF NOT EXISTS )?|\\bON (?=\\w+ \\()|INSERT INTO |MERGE INTO ))");

    public JournalTables {
        if (!VALID.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "the journal's table prefix '" + prefix
                            + "' must be 1 to 32 letters, digits and underscores, after a schema's name and a dot if there is one");
        }
    }

    /** One row a message. */
    public String message() {
        return prefix + "message";
    }

    /** Changes of messages' states. */
    public String event() {
        return prefix + "event";
    }

    /** One row for each id with changes that were not sent to Redis yet. */
    public String outbox() {
        return prefix + "outbox";
    }

    /** Messages that idempotent listeners handled. */
    public String inbox() {
        return prefix + "inbox";
    }

    /** Counters of Redis' partitions as instances saw them. */
    public String partition() {
        return prefix + "partition";
    }

    /** Work that one instance at a time does. */
    public String lease() {
        return prefix + "lease";
    }

    /** Version of the schema. */
    public String schema() {
        return prefix + "schema";
    }

    /** The prefix as indexes have it, without a schema. */
    public String unqualified() {
        return prefix.substring(prefix.indexOf('.') + 1);
    }

    /** The script with this prefix; constraints and indexes, which belong to their table's schema, get it without the schema. */
    public String inScript(String script) {
        String unqualified = unqualified();
        return OF_TABLE.matcher(NAME.matcher(script).replaceAll(Matcher.quoteReplacement(unqualified)))
                .replaceAll(
                        "$1" + Matcher.quoteReplacement(prefix.substring(0, prefix.length() - unqualified.length())));
    }
}
