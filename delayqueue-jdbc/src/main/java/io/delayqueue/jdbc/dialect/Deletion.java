package io.delayqueue.jdbc.dialect;

import java.util.List;

/**
 * A statement that deletes rows of a table of the journal.
 *
 * @param sql the statement, with a question mark for each parameter
 * @param parameters the parameters
 */
public record Deletion(String sql, List<Object> parameters) {}
