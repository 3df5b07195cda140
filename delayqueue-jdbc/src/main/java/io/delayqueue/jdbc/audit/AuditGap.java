package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Records in the journal that events were dropped: messages may look unfinished there that have an end. The row {@code audit-gap} of the
 * leases has the time of the last drop in {@code expires}, and this process' number of drops in {@code state}.
 */
final class AuditGap {

    /** Name of the row. */
    static final String NAME = "audit-gap";

    private final JournalTransaction transaction;
    private final JdbcTemplate jdbc;
    private final RowInserter inserter;
    private long recorded;

    AuditGap(JournalDatabase database, JournalTransaction transaction) {
        this.transaction = transaction;
        this.jdbc = new JdbcTemplate(database.dataSource());
        this.inserter = database.dialect()
                .inserter(RowInsert.into(database.tables().lease(), "name")
                        .column("name", Type.ASCII)
                        .column("expires", database.dialect().nowMicros())
                        .column("state", Type.ASCII)
                        .update("expires", "{new.expires}")
                        .update("state", "{new.state}")
                        .build());
    }

    void recordIfGrown(long dropped) {
        if (dropped > recorded) {
            transaction.run(() -> inserter.insert(
                    jdbc, List.<Object[]>of(new Object[] {NAME, dropped + " events were not recorded"})));
            recorded = dropped;
        }
    }
}
