package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.DelayQueueObserver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObserverChainTests {

    private final List<String> told = new ArrayList<>();
    private final ObserverChain chain = new ObserverChain(List.of(new Failing("first"), new Failing("second")));

    @Test
    void eventsReachEachObserverEvenIfOneFails() {
        assertThatIllegalStateException().isThrownBy(() -> chain.topicDeleted("orders"));

        assertThat(told).containsExactly("first", "second");
    }

    /** An observer that forgets a topic must not do so if another one keeps it. */
    @Test
    void anObserverThatRefusesADeletionEndsIt() {
        assertThatIllegalStateException().isThrownBy(() -> chain.topicDeleting("orders"));

        assertThat(told).containsExactly("first");
    }

    private final class Failing implements DelayQueueObserver {

        private final String name;

        Failing(String name) {
            this.name = name;
        }

        @Override
        public void topicDeleting(String topic) {
            told.add(name);
            throw new IllegalStateException(name);
        }

        @Override
        public void topicDeleted(String topic) {
            told.add(name);
            throw new IllegalStateException(name);
        }
    }
}
