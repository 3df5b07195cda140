package io.delayqueue.jdbc.autoconfigure;

import java.util.List;

/** There are several DataSources, and none of them is known to be the journal's. */
public final class JournalDataSourceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    JournalDataSourceException(List<String> names) {
        super("The journal needs one DataSource, but there are several and none is primary: " + String.join(", ", names)
                + ".");
    }

    /** How to correct it. */
    public String action() {
        return "Mark the one whose transactions your schedule calls belong to as @Primary, or give it the name or qualifier '"
                + JournalSchemaAutoConfiguration.DATA_SOURCE
                + "'. To do without the journal, set delayqueue.journal.enabled=false.";
    }
}
