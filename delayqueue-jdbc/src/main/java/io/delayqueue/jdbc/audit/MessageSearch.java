package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.JournalMessage;
import io.delayqueue.jdbc.JournalPage;
import io.delayqueue.jdbc.JournalPosition;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.BusinessKeys;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Searches messages. A topic's are found state by state, each by a range of an index, and merged; those of a business key by the range of
 * another one. Every call belongs to a transaction of the caller.
 */
final class MessageSearch {

    /** Rows of a business key that are looked at for a page at most: others than those searched for may be between them. */
    private static final int MOST_ROUNDS = 20;

    /** Before all names. Oracle would take an empty text for NULL. */
    private static final String FIRST = "\u0001";

    private final JournalDatabase database;
    private final Dialect dialect;
    private final @Nullable String keyHeader;
    private final String select;
    private final String ofTopic;
    private final String ofKey;

    MessageSearch(JournalDatabase database, @Nullable String keyHeader) {
        this.database = database;
        this.dialect = database.dialect();
        this.keyHeader = keyHeader;
        String index = database.tables().unqualified();
        this.select =
                "SELECT " + JournalRows.COLUMNS + " FROM " + database.tables().message();
        this.ofTopic = select + dialect.byIndex(index + "message_due")
                + " WHERE status = ? AND topic = ? AND due >= ? AND due < ?"
                + " AND (due > ? OR id > ? OR (id = ? AND generation > ?)) ORDER BY due, id, generation";
        this.ofKey = select + dialect.byIndex(index + "message_key")
                + " WHERE business_key = ? AND created >= ? AND created < ?"
                + " AND (created > ? OR topic > ? OR (topic = ? AND (id > ? OR (id = ? AND generation > ?))))"
                + " ORDER BY created, topic, id, generation";
    }

    JournalPage page(JournalQuery query) {
        return query.businessKey() == null ? pageOfTopic(query) : pageOfKey(query, query.businessKey());
    }

    /** By one statement, which sees one moment: between several, a message would change from a state to come to one that was looked at. */
    private JournalPage pageOfTopic(JournalQuery query) {
        if (query.statuses().isEmpty()) {
            return new JournalPage(List.of(), null);
        }
        JournalPosition after = start(query);
        List<Object> parameters = new ArrayList<>();
        for (MessageStatus status : query.statuses()) {
            parameters.addAll(List.of(
                    status.name(),
                    dialect.name(String.valueOf(query.topic())),
                    after.micros(),
                    end(query),
                    after.micros(),
                    dialect.name(after.id()),
                    dialect.name(after.id()),
                    after.generation()));
        }
        String ofState = ofTopic + dialect.limit(query.limit() + 1);
        List<JournalMessage> found = new ArrayList<>(database.jdbc()
                .sql(IntStream.range(0, query.statuses().size())
                        .mapToObj(state -> "SELECT * FROM (" + ofState + ") state" + state)
                        .collect(Collectors.joining(" UNION ALL ")))
                .params(parameters)
                .query((row, number) -> JournalRows.message(row, dialect))
                .list());
        found.sort(Comparator.comparing(JournalMessage::due)
                .thenComparing(message -> bytes(message.id()), Arrays::compareUnsigned)
                .thenComparing(JournalMessage::generation));
        return page(found, query.limit(), message -> JournalRows.micros(message.due()));
    }

    private JournalPage pageOfKey(JournalQuery query, String businessKey) {
        if (keyHeader == null) {
            throw new IllegalArgumentException(
                    "no header is declared as business key: set delayqueue.journal.business-key to its name");
        }
        List<JournalMessage> found = new ArrayList<>();
        JournalPosition after = start(query);
        for (int round = 0; round < MOST_ROUNDS; round++) {
            List<JournalMessage> rows = rowsOfKey(query, businessKey, after);
            rows.stream()
                    .filter(message -> matches(message, query, businessKey, keyHeader))
                    .forEach(found::add);
            if (found.size() > query.limit() || rows.size() <= query.limit()) {
                return page(found, query.limit(), message -> JournalRows.micros(message.created()));
            }
            JournalMessage last = rows.get(rows.size() - 1);
            after = position(last, JournalRows.micros(last.created()));
        }
        return new JournalPage(found, after);
    }

    private List<JournalMessage> rowsOfKey(JournalQuery query, String businessKey, JournalPosition after) {
        return database.jdbc()
                .sql(ofKey + dialect.limit(query.limit() + 1))
                .params(
                        dialect.name(BusinessKeys.stored(businessKey)),
                        after.micros(),
                        end(query),
                        after.micros(),
                        dialect.name(after.topic()),
                        dialect.name(after.topic()),
                        dialect.name(after.id()),
                        dialect.name(after.id()),
                        after.generation())
                .query((row, number) -> JournalRows.message(row, dialect))
                .list();
    }

    /** The column has only the beginning of a long value. */
    private static boolean matches(JournalMessage message, JournalQuery query, String businessKey, String keyHeader) {
        return query.statuses().contains(message.status())
                && (query.topic() == null || query.topic().equals(message.topic()))
                && (businessKey.length() <= BusinessKeys.LONGEST
                        || businessKey.equals(message.headers().get(keyHeader)));
    }

    /** Where the page begins: after a message, or at the earliest time. */
    private static JournalPosition start(JournalQuery query) {
        JournalPosition after = query.after();
        Instant from = query.from();
        long first = from == null ? 0 : JournalRows.micros(from);
        return after != null && after.micros() >= first ? after : new JournalPosition(first, FIRST, FIRST, FIRST);
    }

    private static long end(JournalQuery query) {
        Instant to = query.to();
        return to == null ? Long.MAX_VALUE : JournalRows.micros(to);
    }

    private static JournalPage page(List<JournalMessage> found, int limit, ToLongFunction<JournalMessage> micros) {
        if (found.size() <= limit) {
            return new JournalPage(found, null);
        }
        List<JournalMessage> page = found.subList(0, limit);
        JournalMessage last = page.get(limit - 1);
        return new JournalPage(page, position(last, micros.applyAsLong(last)));
    }

    private static JournalPosition position(JournalMessage message, long micros) {
        return new JournalPosition(micros, message.topic(), message.id(), message.generation());
    }

    private static byte[] bytes(String id) {
        return id.getBytes(StandardCharsets.UTF_8);
    }
}
