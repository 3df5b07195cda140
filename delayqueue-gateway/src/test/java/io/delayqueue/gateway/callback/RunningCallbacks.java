package io.delayqueue.gateway.callback;

import static org.awaitility.Awaitility.await;

import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A Redis, a server that is called, and an instance that calls it. */
@ExtendWith(EmbeddedRedisExtension.class)
abstract class RunningCallbacks {

    static final Duration LONG = Duration.ofSeconds(30);
    static final byte[] BODY = {'{', '}', 0, -1};
    EmbeddedRedis redis;
    Receiver receiver;
    CallbackInstance instance;

    @BeforeEach
    final void start(EmbeddedRedis server) throws Exception {
        redis = server;
        receiver = new Receiver();
    }

    @AfterEach
    final void stop() {
        if (instance != null) {
            instance.close();
        }
        receiver.close();
    }

    void instance(String... properties) {
        instance = CallbackInstance.start(redis, receiver, properties);
    }

    static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to("hooks").id(id).payload(BODY);
    }

    void awaitRequests(int count) {
        await().atMost(LONG).until(() -> receiver.requests().size() >= count);
    }

    TopicStats stats() {
        return instance.client().stats("hooks");
    }

    void awaitAcked(long count) {
        await().atMost(LONG).until(() -> stats().totals().acked() == count);
    }

    MessageInfo awaitDead(String id) {
        return await().atMost(LONG)
                .until(
                        () -> instance.client().find("hooks", id),
                        found -> found.isPresent() && found.get().state() == MessageState.DEAD)
                .orElseThrow();
    }
}
