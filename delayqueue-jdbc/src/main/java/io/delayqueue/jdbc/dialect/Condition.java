package io.delayqueue.jdbc.dialect;

import java.util.List;

/**
 * A condition of a statement on a table of the journal, which finds its rows by the primary key.
 *
 * @param sql the condition, with a question mark for each parameter
 * @param parameters the parameters
 */
public record Condition(String sql, List<Object> parameters) {}
