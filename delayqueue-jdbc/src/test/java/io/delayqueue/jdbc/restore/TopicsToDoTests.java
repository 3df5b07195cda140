package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopicsToDoTests {

    private final TopicsToDo topics = new TopicsToDo();
    private final List<String> done = new ArrayList<>();

    /** Those that wait for somebody are repeated again and again, and take their time. */
    @Test
    void someComeBeforeOthersThatHaveWaitedForLonger() throws InterruptedException {
        topics.add("waiting", Duration.ZERO);
        topics.add("new", Duration.ZERO);
        topics.add("later", Duration.ofHours(1));

        topics.doNext(topic -> !topic.equals("waiting"), done::add);
        topics.doNext(topic -> !topic.equals("waiting"), done::add);

        assertThat(done).containsExactly("new", "waiting");
    }

    @Test
    void theOneThatHasWaitedForLongestComesFirst() throws InterruptedException {
        topics.add("first", Duration.ofNanos(-2));
        topics.add("second", Duration.ofNanos(-1));

        topics.doNext(done::add);
        topics.doNext(done::add);

        assertThat(done).containsExactly("first", "second");
    }
}
