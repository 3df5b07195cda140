package io.delayqueue.jdbc.plan;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Collections;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs each statement with EXPLAIN ANALYZE first, up to a savepoint. */
final class PostgreSqlPlans extends PlanCheck {

    private static final JsonMapper JSON = new JsonMapper();

    @Override
    void check(Connection connection, String sql, Parameters parameters) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        Savepoint savepoint = connection.setSavepoint();
        try {
            long read = read(planOf(connection, sql, parameters), sql);
            if (read > MOST_READ) {
                problem(sql, read + " rows read");
            }
            if (!sql.startsWith("INSERT")) {
                read(planForAnyParameters(connection, sql), sql);
            }
        } finally {
            connection.rollback(savepoint);
            connection.setAutoCommit(autoCommit);
        }
    }

    private static JsonNode planOf(Connection connection, String sql, Parameters parameters) throws SQLException {
        try (PreparedStatement explain = connection.prepareStatement("EXPLAIN (ANALYZE, FORMAT JSON) " + sql)) {
            parameters.setFor(explain);
            try (ResultSet plan = explain.executeQuery()) {
                return root(plan);
            }
        }
    }

    /** The plan that the server may keep for all further uses of the statement. */
    private static JsonNode planForAnyParameters(Connection connection, String sql) throws SQLException {
        String[] parts = sql.split("\\?", -1);
        StringBuilder numbered = new StringBuilder(parts[0]);
        for (int i = 1; i < parts.length; i++) {
            numbered.append('$').append(i).append(parts[i]);
        }
        String arguments =
                parts.length == 1 ? "" : "(" + String.join(", ", Collections.nCopies(parts.length - 1, "NULL")) + ")";
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL plan_cache_mode = force_generic_plan");
            statement.execute("PREPARE explained AS " + numbered);
            try (ResultSet plan = statement.executeQuery("EXPLAIN (FORMAT JSON) EXECUTE explained" + arguments)) {
                return root(plan);
            } finally {
                statement.execute("DEALLOCATE explained");
            }
        }
    }

    private static JsonNode root(ResultSet plan) throws SQLException {
        plan.next();
        return JSON.readTree(plan.getString(1)).get(0).get("Plan");
    }

    /** Rows that a step of a plan and those below it have read, those included that did not match. */
    private long read(JsonNode step, String sql) {
        String type = step.path("Node Type").asString("");
        if (type.equals("Seq Scan")) {
            problem(sql, "scans " + step.path("Relation Name").asString(""));
        }
        long read = 0;
        if (step.has("Relation Name") && type.endsWith("Scan")) {
            double rows = step.path("Actual Rows").asDouble(0)
                    + step.path("Rows Removed by Filter").asDouble(0)
                    + step.path("Rows Removed by Index Recheck").asDouble(0);
            read = Math.round(rows * step.path("Actual Loops").asDouble(0));
        }
        for (JsonNode below : step.path("Plans")) {
            read += read(below, sql);
        }
        return read;
    }
}
