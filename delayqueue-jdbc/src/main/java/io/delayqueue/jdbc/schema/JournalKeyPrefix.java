package io.delayqueue.jdbc.schema;

import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The key prefix in Redis that the journal's tables belong to, which the first start records. Relays of another prefix would send these
 * messages to topics of their own. The row {@code key-prefix} of the leases has it, encoded as in a URL.
 */
public final class JournalKeyPrefix {

    private static final String NAME = "key-prefix";

    private final JournalDatabase database;
    private final JournalTransaction transaction;
    private final RowInserter inserter;

    /** The prefix of the tables in a database. */
    public JournalKeyPrefix(JournalDatabase database, JournalTransaction transaction) {
        this.database = database;
        this.transaction = transaction;
        this.inserter = database.dialect()
                .inserter(RowInsert.into(database.tables().lease(), "name")
                        .column("name", Type.ASCII)
                        .column("expires", "0")
                        .column("state", Type.ASCII)
                        .build());
    }

    /**
     * Records the prefix if there is none yet.
     *
     * @throws JournalKeyPrefixException if there is another one
     * @throws DataAccessException if the database fails
     */
    public void require(String keyPrefix) {
        String encoded = URLEncoder.encode(keyPrefix, StandardCharsets.UTF_8);
        List<String> recorded = recorded();
        if (recorded.isEmpty()) {
            transaction.run(() -> inserter.insert(
                    new JdbcTemplate(database.dataSource()), List.<Object[]>of(new Object[] {NAME, encoded})));
            // another instance may have been the first
            recorded = recorded();
        }
        for (String other : recorded) {
            if (!other.equals(encoded)) {
                throw new JournalKeyPrefixException(
                        database.tables().lease(), NAME, URLDecoder.decode(other, StandardCharsets.UTF_8), keyPrefix);
            }
        }
    }

    private List<String> recorded() {
        return transaction.execute(() -> database.jdbc()
                .sql("SELECT state FROM " + database.tables().lease() + " WHERE name = ? AND state IS NOT NULL")
                .param(NAME)
                .query(String.class)
                .list());
    }
}
