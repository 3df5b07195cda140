package io.delayqueue.docs.containers;

import io.delayqueue.spring.annotation.DelayQueueListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** An application that sends reminders. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Reminders {

    final List<String> sent = new CopyOnWriteArrayList<>();

    @DelayQueueListener(topic = "reminder")
    void send(String text) {
        sent.add(text);
    }
}
