package io.delayqueue.spring.testsupport;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/** Objects that listeners received, in order. */
public final class Received<T> {

    private final List<T> all = new CopyOnWriteArrayList<>();

    /** Notes one. */
    public void add(T received) {
        all.add(received);
    }

    /** All so far. */
    public List<T> all() {
        return List.copyOf(all);
    }

    /** The first ones, as soon as there are so many. */
    public List<T> await(int count) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> all.size() >= count);
        return List.copyOf(all);
    }

    /** The first one, as soon as it is there. */
    public T first() {
        return await(1).get(0);
    }
}
