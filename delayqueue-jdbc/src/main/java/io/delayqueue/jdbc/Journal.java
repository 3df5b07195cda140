package io.delayqueue.jdbc;

import org.springframework.dao.DataAccessException;

/**
 * Reads the journal: messages and their events. Events are written a fraction of a second after they happened, and later while the
 * database is unavailable. Safe for use by several threads.
 */
public interface Journal {

    /**
     * The story of an id: its messages, oldest first, each with its events.
     *
     * @return without messages if the journal knows nothing of the id
     * @throws DataAccessException if the database fails
     */
    MessageStory story(String topic, String id);

    /**
     * A page of messages.
     *
     * @throws IllegalArgumentException if it asks for a business key, and no header is declared as such
     * @throws DataAccessException if the database fails
     */
    JournalPage search(JournalQuery query);
}
