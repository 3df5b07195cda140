package io.delayqueue.jdbc.schema;

import io.delayqueue.jdbc.JournalTables;
import java.util.OptionalInt;

/** The journal's tables are missing, or of an older version than this one needs. */
public final class JournalSchemaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    JournalSchemaException(JournalTables tables, OptionalInt version) {
        super(
                version.isEmpty()
                        ? "the journal's tables, such as " + tables.message() + ", are missing"
                        : "the journal's tables have version " + version.getAsInt() + ", but version "
                                + JournalSchema.VERSION + " is needed");
    }
}
