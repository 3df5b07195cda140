package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalPage;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import org.jspecify.annotations.Nullable;

/** The journal of a database. */
public final class JdbcJournal implements Journal {

    private final JournalTransaction transaction;
    private final StoryReader stories;
    private final MessageSearch search;

    /** @param businessKey name of the header that is declared as business key; null for none */
    public JdbcJournal(JournalDatabase database, JournalTransaction transaction, @Nullable String businessKey) {
        this.transaction = transaction;
        this.stories = new StoryReader(database);
        this.search = new MessageSearch(database, businessKey);
    }

    @Override
    public MessageStory story(String topic, String id) {
        return transaction.execute(() -> stories.read(topic, id));
    }

    @Override
    public JournalPage search(JournalQuery query) {
        return transaction.execute(() -> search.page(query));
    }
}
