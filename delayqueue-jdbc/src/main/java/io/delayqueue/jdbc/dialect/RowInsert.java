package io.delayqueue.jdbc.dialect;

import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Rows to insert into a table of the journal, whatever the database. A row whose key is there changes it, or leaves it alone.
 *
 * @param table the table
 * @param key columns of the primary key
 * @param parameters what is given for each row
 * @param values the value of each column: an expression with <code>{parameter}</code> for parameters, each once and in their order
 * @param updates new values of columns of a row that is there: expressions with <code>{old.column}</code> and
 *     <code>{new.column}</code>; none leave it alone
 */
public record RowInsert(
        String table,
        List<String> key,
        Map<String, Type> parameters,
        Map<String, String> values,
        Map<String, String> updates) {

    private static final Pattern REFERENCE = Pattern.compile("\\{([a-z_.]+)}");

    /** Type of a parameter. */
    public enum Type {
        /** A topic, an id or other name; compared by byte. */
        NAME("varchar", "VARCHAR", Types.VARCHAR),
        /** A short text in ASCII. */
        ASCII("varchar", "VARCHAR", Types.VARCHAR),
        /** A text of any length. */
        TEXT("text", "CHARACTER LARGE OBJECT", Types.CLOB),
        /** An {@code Integer}. */
        INTEGER("int4", "INTEGER", Types.INTEGER),
        /** A {@code Long}. */
        BIGINT("int8", "BIGINT", Types.BIGINT),
        /** Bytes of any length. */
        BINARY("bytea", "BINARY LARGE OBJECT", Types.BLOB);

        private final String postgreSql;
        private final String standard;
        private final int jdbc;

        Type(String postgreSql, String standard, int jdbc) {
            this.postgreSql = postgreSql;
            this.standard = standard;
            this.jdbc = jdbc;
        }

        String postgreSql() {
            return postgreSql;
        }

        String standard() {
            return standard;
        }

        int jdbc() {
            return jdbc;
        }
    }

    /** Rows of a table with this primary key. */
    public static Builder into(String table, String... key) {
        return new Builder(table, List.of(key));
    }

    List<Type> types() {
        return List.copyOf(parameters.values());
    }

    String columnList() {
        return String.join(", ", values.keySet());
    }

    /** The values, with a reference for each parameter. */
    String valueList(UnaryOperator<String> parameter) {
        return values.values().stream().map(value -> replace(value, parameter)).collect(Collectors.joining(", "));
    }

    String value(String column, UnaryOperator<String> parameter) {
        return replace(Objects.requireNonNull(values.get(column), column), parameter);
    }

    /** The assignments of an update. */
    String updateList(UnaryOperator<String> oldColumn, UnaryOperator<String> newColumn) {
        return updates.entrySet().stream()
                .map(update -> update.getKey() + " = "
                        + replace(
                                update.getValue(),
                                reference -> reference.startsWith("old.")
                                        ? oldColumn.apply(reference.substring(4))
                                        : newColumn.apply(reference.substring(4))))
                .collect(Collectors.joining(", "));
    }

    private static String replace(String expression, UnaryOperator<String> reference) {
        return REFERENCE
                .matcher(expression)
                .replaceAll(match -> Matcher.quoteReplacement(reference.apply(match.group(1))));
    }

    /** Collects columns. */
    public static final class Builder {

        private final String table;
        private final List<String> key;
        private final Map<String, Type> parameters = new LinkedHashMap<>();
        private final Map<String, String> values = new LinkedHashMap<>();
        private final Map<String, String> updates = new LinkedHashMap<>();

        private Builder(String table, List<String> key) {
            this.table = table;
            this.key = key;
        }

        /** A column whose value is a parameter. */
        public Builder column(String column, Type type) {
            parameters.put(column, type);
            values.put(column, "{" + column + "}");
            return this;
        }

        /** A column whose value is an expression. */
        public Builder column(String column, String expression) {
            values.put(column, expression);
            return this;
        }

        /** A parameter of an expression. */
        public Builder parameter(String parameter, Type type) {
            parameters.put(parameter, type);
            return this;
        }

        /** A column that changes if the row is there. */
        public Builder update(String column, String expression) {
            updates.put(column, expression);
            return this;
        }

        /** The rows to insert. */
        public RowInsert build() {
            List<String> references = new ArrayList<>();
            for (String value : values.values()) {
                REFERENCE.matcher(value).results().forEach(match -> references.add(match.group(1)));
            }
            if (!references.equals(List.copyOf(parameters.keySet()))) {
                throw new IllegalStateException(
                        "parameters " + parameters.keySet() + " are referred to as " + references);
            }
            return new RowInsert(table, key, parameters, values, updates);
        }
    }
}
