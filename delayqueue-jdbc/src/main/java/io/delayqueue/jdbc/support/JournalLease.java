package io.delayqueue.jdbc.support;

import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Lets one instance at a time do a piece of work, by a row of the journal and the database's clock. An owner that stalls for longer than it
 * asked for may meet the next one, so the work has to be harmless when it is done twice. Safe for use by several threads, which are
 * one owner.
 */
public final class JournalLease {

    /** A lease that ends later than one that begins now, by more than this, was begun when the database's clock was ahead. */
    private static final long CLOCK_STEP_MICROS = TimeUnit.MINUTES.toMicros(1);

    private final String name;
    private final String owner = UUID.randomUUID().toString();
    private final JournalDatabase database;
    private final JournalTransaction transaction;
    private final JdbcClient jdbc;
    private final String hold;
    private final String release;
    private volatile boolean exists;

    /**
     * A lease that is not held.
     *
     * @param name the work: at most 255 characters of ASCII
     */
    public JournalLease(JournalDatabase database, JournalTransaction transaction, String name) {
        this.name = name;
        this.database = database;
        this.transaction = transaction;
        this.jdbc = database.jdbc();
        String now = database.dialect().nowMicros();
        this.hold = "UPDATE " + database.tables().lease() + " SET owner = ?, expires = " + now
                + " + ? WHERE name = ? AND (owner IS NULL OR owner = ? OR expires < " + now + " OR expires > " + now
                + " + ?)";
        this.release = "DELETE FROM " + database.tables().lease() + " WHERE name = ? AND owner = ?";
    }

    /**
     * Begins or renews the lease, for this long from now.
     *
     * @param duration about the same for all owners
     * @return false if another owner has it
     * @throws DataAccessException if the database fails
     */
    public boolean tryHold(Duration duration) {
        insertOnce();
        long micros = Micros.of(duration);
        boolean held = transaction.execute(() -> jdbc.sql(hold)
                        .params(owner, micros, name, owner, micros + CLOCK_STEP_MICROS)
                        .update()
                == 1);
        // another owner may have deleted the row meanwhile
        exists = held;
        return held;
    }

    private void insertOnce() {
        if (!exists) {
            insert();
        }
    }

    /**
     * Makes sure that the lease has a row, held or not.
     *
     * @throws DataAccessException if the database fails
     */
    public void insert() {
        RowInsert row = RowInsert.into(database.tables().lease(), "name")
                .column("name", Type.ASCII)
                .column("expires", "0")
                .build();
        transaction.run(() -> database.dialect()
                .inserter(row)
                .insert(new JdbcTemplate(database.dataSource()), List.<Object[]>of(new Object[] {name})));
        exists = true;
    }

    /**
     * Ends the lease, if it is held.
     *
     * @throws DataAccessException if the database fails; the lease ends by itself then
     */
    public void release() {
        exists = false;
        transaction.execute(() -> jdbc.sql(release).params(name, owner).update());
    }
}
