package io.delayqueue.jdbc.autoconfigure;

import java.util.Collection;

/**
 * No transaction manager has transactions of the journal's DataSource, so no call could be part of one; or several have, and idempotent
 * listeners need one.
 */
public final class JournalTransactionManagerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    JournalTransactionManagerException(Collection<String> suitable, Collection<String> others) {
        super("The journal needs a transaction manager of its DataSource, but "
                + (!suitable.isEmpty()
                        ? "there are several and none is primary: " + String.join(", ", suitable) + "."
                        : others.isEmpty()
                                ? "there is no transaction manager at all."
                                : "the existing ones have other resources: " + String.join(", ", others) + "."));
    }

    /** How to correct it. */
    public String action() {
        return "Define a JdbcTransactionManager, or the manager of your persistence framework, for the journal's DataSource. If there are"
                + " several, mark one as @Primary, or give it the name or qualifier '"
                + JournalInboxAutoConfiguration.TRANSACTION_MANAGER + "'.";
    }
}
