package io.delayqueue.dashboard.http;

import io.delayqueue.spring.operator.MessageSearch;
import java.time.Instant;
import java.util.List;

/** The topics that have a message with an id. */
record SearchView(
        Instant asOf,
        String id,
        List<MessageSearch.Found> found,
        int searched,
        int total,
        List<String> missing,
        int missingTotal) {

    private static final int MAX_MISSING = 20;

    static SearchView of(String id, MessageSearch search) {
        return new SearchView(
                Instant.now(),
                id,
                search.found(),
                search.searched(),
                search.searched() + search.missing().size(),
                search.missing().stream().limit(MAX_MISSING).toList(),
                search.missing().size());
    }
}
