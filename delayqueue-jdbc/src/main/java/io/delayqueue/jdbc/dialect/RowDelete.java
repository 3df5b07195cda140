package io.delayqueue.jdbc.dialect;

import java.util.List;

/**
 * Rows to delete from a table of the journal, the oldest first where the database can tell.
 *
 * @param table the table, which the condition calls {@code r}
 * @param key columns of the primary key
 * @param index the index that finds the rows
 * @param age the column of that index whose lowest values come first
 * @param condition the condition, with a question mark for each parameter
 */
public record RowDelete(String table, List<String> key, String index, String age, String condition) {}
