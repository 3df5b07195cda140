package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.outbox.CallerTransaction.State;
import io.delayqueue.jdbc.support.JournalTransaction;

/** Writes in the caller's transaction if there is one, else in one of its own. */
public final class WriteTransactions {

    private final CallerTransaction caller;
    private final JournalTransaction own;

    /** Transactions that rows are written in. */
    public WriteTransactions(CallerTransaction caller, JournalTransaction own) {
        this.caller = caller;
        this.own = own;
    }

    /**
     * Writes rows. If the caller's transaction is active, they are committed with it; else they are committed when this returns.
     *
     * @return the state of the caller's transaction
     * @throws UnsuitableTransactionException if the caller's transaction can't write them
     */
    State write(Runnable rows) {
        State state = caller.state();
        switch (state) {
            case ACTIVE -> rows.run();
            case ENDING -> caller.beside(() -> own.run(rows));
            case NONE -> own.run(rows);
        }
        return state;
    }
}
