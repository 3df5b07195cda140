package io.delayqueue.gateway.http;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.http.body.Answer;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.body.Fields;
import io.delayqueue.gateway.http.body.MessageView;
import io.delayqueue.gateway.http.body.ScheduledView;
import io.delayqueue.gateway.http.idempotency.IdempotentCalls;
import io.delayqueue.gateway.http.problem.Problem;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.http.request.PathNames;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.ForbiddenException;
import io.delayqueue.gateway.security.Right;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Messages of a topic: schedule, find, cancel and reschedule. Ids that a path can't have are given as {@code ?id=}. */
@RestController
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}/topics/{topic}/messages")
public final class MessagesController {

    private static final String ONE = "/{id}";

    private final DelayQueueClient client;
    private final OwnThreadSender sender;
    private final MessageScheduling scheduling;
    private final IdempotentCalls calls;
    private final BoundedBody bodies;
    private final Answers answers;

    /** A controller of the client's messages, which are changed by way of a sender. */
    public MessagesController(
            DelayQueueClient client,
            OwnThreadSender sender,
            MessageScheduling scheduling,
            IdempotentCalls calls,
            BoundedBody bodies,
            Answers answers) {
        this.client = client;
        this.sender = sender;
        this.scheduling = scheduling;
        this.calls = calls;
        this.bodies = bodies;
        this.answers = answers;
    }

    @PostMapping
    CompletableFuture<ResponseEntity<byte[]>> schedule(
            @PathVariable("topic") String topic, Caller caller, HttpServletRequest request) throws IOException {
        caller.require(Right.PRODUCE, PathNames.topic(topic));
        byte[] body = bodies.read(request);
        String path = request.getRequestURI();
        return calls.run(request, caller, body, identity -> scheduling.schedule(caller, topic, body, identity, path));
    }

    @GetMapping({ONE, ""})
    CompletableFuture<ResponseEntity<byte[]>> find(
            @PathVariable("topic") String topic,
            @PathVariable(name = "id", required = false) @Nullable String pathId,
            Caller caller,
            HttpServletRequest request) {
        if (!caller.may(Right.PRODUCE, topic) && !caller.may(Right.OPERATE, topic)) {
            throw new ForbiddenException(caller.name(), Right.OPERATE, topic);
        }
        return client.findAsync(PathNames.topic(topic), PathNames.id(pathId, request))
                .thenApply(found -> found.map(message -> answers.of(200, MessageView.of(message, answers.json())))
                        .orElseGet(() -> answers.of(problem(ProblemType.NOT_FOUND)))
                        .entity());
    }

    @DeleteMapping({ONE, ""})
    CompletableFuture<ResponseEntity<byte[]>> cancel(
            @PathVariable("topic") String topic,
            @PathVariable(name = "id", required = false) @Nullable String pathId,
            Caller caller,
            HttpServletRequest request) {
        caller.require(Right.PRODUCE, topic);
        return sender.cancelAsync(caller, PathNames.topic(topic), PathNames.id(pathId, request))
                .thenApply(outcome -> cancelled(outcome).entity());
    }

    private Answer cancelled(CancelOutcome outcome) {
        return switch (outcome) {
            case CANCELLED -> Answer.none();
            case IN_FLIGHT -> answers.of(problem(ProblemType.IN_FLIGHT));
            case NOT_FOUND -> answers.of(problem(ProblemType.NOT_FOUND));
            case AFTER_COMMIT -> Answer.accepted();
        };
    }

    @PatchMapping({ONE, ""})
    CompletableFuture<ResponseEntity<byte[]>> reschedule(
            @PathVariable("topic") String topic,
            @PathVariable(name = "id", required = false) @Nullable String pathId,
            Caller caller,
            HttpServletRequest request)
            throws IOException {
        caller.require(Right.PRODUCE, PathNames.topic(topic));
        String id = PathNames.id(pathId, request);
        byte[] body = bodies.read(request);
        return calls.run(request, caller, body, identity -> reschedule(caller, topic, id, delay(body)));
    }

    private CompletableFuture<Answer> reschedule(Caller caller, String topic, String id, Delay delay) {
        return sender.rescheduleAsync(caller, topic, id, delay).thenApply(outcome -> switch (outcome) {
            case RESCHEDULED -> answers.of(200, Map.of("due", ScheduledView.due(delay, Clock.systemUTC())));
            case IN_FLIGHT -> answers.of(problem(ProblemType.IN_FLIGHT));
            case NOT_FOUND -> answers.of(problem(ProblemType.NOT_FOUND));
            case AFTER_COMMIT -> Answer.accepted();
        });
    }

    private Delay delay(byte[] body) {
        Fields fields = new Fields(answers.json().read(body), Set.of("delay", "dueAt"));
        Duration delay = fields.duration("delay");
        Instant dueAt = fields.instant("dueAt");
        if ((delay == null) == (dueAt == null)) {
            throw ProblemException.invalid("delay", "either delay or dueAt is needed");
        }
        return delay != null ? Delay.of(delay) : Delay.until(dueAt);
    }

    private static Problem problem(ProblemType type) {
        return Problem.of(type, "nothing was changed", null);
    }
}
