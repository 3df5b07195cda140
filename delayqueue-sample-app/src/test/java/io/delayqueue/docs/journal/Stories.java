package io.delayqueue.docs.journal;

import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.JournalPage;
import io.delayqueue.jdbc.JournalQuery;
import io.delayqueue.jdbc.MessageStory;
import org.springframework.stereotype.Component;

@Component
class Stories {

    private final Journal journal;

    Stories(Journal journal) {
        this.journal = journal;
    }

    int messages() {
        // tag::reading[]
        MessageStory story = journal.story("order-timeout", "order-17");
        JournalPage page = journal.search(JournalQuery.ofBusinessKey("A-17").build());
        // end::reading[]
        return story.messages().size() + page.messages().size();
    }
}
