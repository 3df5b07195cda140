package io.delayqueue.jdbc.schema;

import io.delayqueue.jdbc.support.JournalTables;
import java.util.OptionalInt;

/** The journal's tables are missing, or of an older version than this one needs. */
public final class JournalSchemaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    JournalSchemaException(JournalTables tables, OptionalInt version, String platform) {
        super(
                version.isEmpty()
                        ? "The journal's tables are missing, such as " + tables.message() + "."
                        : "The journal's tables have version " + version.getAsInt() + " (table " + tables.schema()
                                + "), but version " + JournalSchema.VERSION + " is needed.");
        String file = JournalSchemaInitializer.DEFAULT_LOCATION.replace("@@platform@@", platform);
        String prefix = tables.prefix().equals(JournalTables.DEFAULT_PREFIX)
                ? ""
                : ", with " + tables.prefix() + " for " + JournalTables.DEFAULT_PREFIX;
        this.action = version.isEmpty()
                ? "Set delayqueue.journal.initialize-schema=always to create them at the start, or make " + file
                        + " a migration of your own" + prefix
                        + ". If they have other names, set delayqueue.journal.table-prefix. To do without the journal, set"
                        + " delayqueue.journal.enabled=false."
                : "Migrate them to what " + file + " creates" + prefix
                        + ". The upgrade notes of this version list the statements.";
    }

    private JournalSchemaException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** A script that ran without an error, and created other tables than these. */
    static JournalSchemaException notCreated(JournalTables tables, String location) {
        return new JournalSchemaException(
                "The script " + location + " ran without an error, but the journal's table " + tables.schema()
                        + " is missing or records no version.",
                "A script of your own (delayqueue.journal.schema) has to create all tables, with names that begin with "
                        + JournalTables.DEFAULT_PREFIX + ", and to insert the version " + JournalSchema.VERSION
                        + " into "
                        + JournalTables.DEFAULT_PREFIX + "schema. If the script is the journal's own, the user of the"
                        + " DataSource may not see the tables of the prefix " + tables.prefix() + ".");
    }

    /** How to correct it. */
    public String action() {
        return action;
    }
}
