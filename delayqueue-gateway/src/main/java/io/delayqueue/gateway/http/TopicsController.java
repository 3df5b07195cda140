package io.delayqueue.gateway.http;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.ForbiddenException;
import io.delayqueue.gateway.security.Right;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Numbers of the topics on which the caller has a right. */
@RestController
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}/topics")
public final class TopicsController {

    private final DelayQueueClient client;
    private final Answers answers;

    /** A controller of the client's topics. */
    public TopicsController(DelayQueueClient client, Answers answers) {
        this.client = client;
        this.answers = answers;
    }

    @GetMapping
    Callable<ResponseEntity<byte[]>> all(Caller caller) {
        return () -> {
            List<String> topics = client.topics().stream()
                    .filter(topic -> maySee(caller, topic))
                    .sorted()
                    .toList();
            return answers.of(200, Map.of("topics", client.stats(topics).values()))
                    .entity();
        };
    }

    @GetMapping("/{topic}")
    Callable<ResponseEntity<byte[]>> one(@PathVariable("topic") String topic, Caller caller) {
        if (!maySee(caller, topic)) {
            throw new ForbiddenException(caller.name(), Right.OPERATE, topic);
        }
        return () -> answers.of(200, client.stats(topic)).entity();
    }

    private static boolean maySee(Caller caller, String topic) {
        for (Right right : Right.values()) {
            if (caller.may(right, topic)) {
                return true;
            }
        }
        return false;
    }
}
