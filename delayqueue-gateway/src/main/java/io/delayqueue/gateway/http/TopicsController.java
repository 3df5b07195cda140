package io.delayqueue.gateway.http;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.http.body.Answer;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.request.BoundedCalls;
import io.delayqueue.gateway.http.request.PathNames;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.ForbiddenException;
import io.delayqueue.gateway.security.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Message counts of the topics on which the caller has a right. */
@RestController
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}/topics")
public final class TopicsController {

    private final DelayQueueClient client;
    private final BoundedCalls calls;
    private final Answers answers;

    /**
     * A controller of the client's topics.
     *
     * @param calls threads for calls that wait for Redis
     */
    public TopicsController(DelayQueueClient client, BoundedCalls calls, Answers answers) {
        this.client = client;
        this.calls = calls;
        this.answers = answers;
    }

    @GetMapping
    CompletableFuture<ResponseEntity<byte[]>> all(Caller caller) {
        return read(() -> {
            List<String> topics = client.topics().stream()
                    .filter(topic -> maySee(caller, topic))
                    .sorted()
                    .toList();
            return answers.of(
                    200, Map.of("topics", new ArrayList<>(client.stats(topics).values())));
        });
    }

    @GetMapping("/{topic}")
    CompletableFuture<ResponseEntity<byte[]>> one(@PathVariable("topic") String name, Caller caller) {
        String topic = PathNames.topic(name);
        if (!maySee(caller, topic)) {
            throw new ForbiddenException(caller.name(), Right.OPERATE, topic);
        }
        return read(() -> answers.of(200, client.stats(topic)));
    }

    /** Not on a thread of the client's, which hand out claims. */
    private CompletableFuture<ResponseEntity<byte[]>> read(Supplier<Answer> answer) {
        return calls.call(() -> answer.get().entity());
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
