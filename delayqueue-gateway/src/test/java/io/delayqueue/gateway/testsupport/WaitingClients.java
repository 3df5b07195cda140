package io.delayqueue.gateway.testsupport;

import io.delayqueue.gateway.claim.PullConsumers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** Clients whose claims wait for messages. */
public final class WaitingClients {

    private WaitingClients() {}

    /**
     * Returns when all clients wait. On a slow machine, the waits of the first ones end before those of the last begin: then it returns
     * at the first end, if more than half of them waited.
     *
     * @return how many waited at once
     */
    public static int await(PullConsumers consumers, String topic, int clients) {
        AtomicInteger most = new AtomicInteger();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            int now = consumers.callsUnderWay(topic);
            int before = most.getAndAccumulate(now, Math::max);
            return now == clients || before > clients / 2 && now < before;
        });
        return most.get();
    }
}
