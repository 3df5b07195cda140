package io.delayqueue.jdbc.schema;

/** The journal's tables belong to another key prefix in Redis. */
public final class JournalKeyPrefixException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    JournalKeyPrefixException(String table, String row, String recorded, String configured) {
        super("The journal's tables belong to the key prefix '" + recorded + "' (table " + table + ", row '" + row
                + "'), but this application has '" + configured + "'.");
        this.action =
                "Its relay would send messages of the other applications to topics of its own. Set delayqueue.key-prefix='"
                        + recorded
                        + "', or give this application tables of its own with delayqueue.journal.table-prefix."
                        + " If all applications of these tables got a new key prefix, delete the row while the outbox is empty.";
    }

    /** How to correct it. */
    public String action() {
        return action;
    }
}
