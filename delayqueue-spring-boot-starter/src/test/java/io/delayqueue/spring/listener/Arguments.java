package io.delayqueue.spring.listener;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.Received;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Calls a listener with one message and returns its arguments. */
final class Arguments {

    private Arguments() {}

    /** The first argument that the listener records of a message with this payload. */
    static Object argumentOf(ApplicationContextRunner runner, Class<? extends Listener> listener, Object payload) {
        List<Object> arguments = new ArrayList<>();
        runner.withBean(listener).run(context -> {
            context.getBean(DelayQueueOperations.class)
                    .message("orders", payload)
                    .id("order-42")
                    .delay(Duration.ofMillis(5))
                    .priority(7)
                    .header("tenant", "acme")
                    .header("weight", "12")
                    .schedule();
            arguments.add(context.getBean(listener).received.first());
        });
        return arguments.get(0);
    }

    /** Records the arguments of its calls. */
    abstract static class Listener {
        final Received<Object> received = new Received<>();
    }
}
