package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.JournalMessage;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.HeadersColumn;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads messages' rows without their payloads. */
final class JournalRows {

    static final String COLUMNS =
            "topic, id, generation, status, attempts, priority, max_attempts, time_to_live, due, created,"
                    + " updated, finished, reason, business_key, headers";

    private JournalRows() {}

    static JournalMessage message(ResultSet row, Dialect dialect) throws SQLException {
        Long maxAttempts = number(row, "max_attempts");
        Long timeToLive = number(row, "time_to_live");
        return new JournalMessage(
                dialect.name(row, "topic"),
                dialect.name(row, "id"),
                row.getString("generation"),
                MessageStatus.of(row.getString("status")),
                row.getInt("attempts"),
                row.getInt("priority"),
                maxAttempts == null ? null : maxAttempts.intValue(),
                timeToLive == null ? null : Duration.of(timeToLive, ChronoUnit.MICROS),
                instant(row.getLong("due")),
                instant(row.getLong("created")),
                instant(row.getLong("updated")),
                instantOrNull(row, "finished"),
                row.getString("reason"),
                row.getString("business_key") == null ? null : dialect.name(row, "business_key"),
                headers(row.getString("headers")));
    }

    /** A row with headers that nobody can read must not hide the others. */
    private static Map<String, String> headers(@Nullable String json) {
        try {
            return HeadersColumn.decode(json);
        } catch (IllegalArgumentException e) {
            return Map.of();
        }
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        Long micros = number(row, column);
        return micros == null ? null : instant(micros);
    }

    static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }
}
