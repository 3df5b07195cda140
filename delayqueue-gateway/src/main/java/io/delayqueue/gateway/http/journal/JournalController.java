package io.delayqueue.gateway.http.journal;

import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.problem.Problem;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.http.request.BoundedCalls;
import io.delayqueue.gateway.http.request.PathNames;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.Right;
import io.delayqueue.jdbc.Journal;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.restore.RestoreRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The story of an id, and restores of messages that Redis lost. Needs the right to operate. */
@RestController
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}/topics/{topic}")
public final class JournalController {

    /** A restore that takes longer goes on after the answer 202. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

    private final Journal journal;
    private final BoundedCalls calls;
    private final @Nullable RequestedRestores restores;
    private final Answers answers;

    /**
     * A controller of a journal.
     *
     * @param calls threads for calls that wait for the database
     * @param restores null if nothing restores
     */
    public JournalController(
            Journal journal, BoundedCalls calls, @Nullable RequestedRestores restores, Answers answers) {
        this.journal = journal;
        this.calls = calls;
        this.restores = restores;
        this.answers = answers;
    }

    @GetMapping({"/messages/{id}/story", "/story"})
    CompletableFuture<ResponseEntity<byte[]>> story(
            @PathVariable("topic") String name,
            @PathVariable(name = "id", required = false) @Nullable String pathId,
            Caller caller,
            HttpServletRequest request) {
        String topic = PathNames.topic(name);
        caller.require(Right.OPERATE, topic);
        String id = PathNames.id(pathId, request);
        // not on a thread of the client's: a slow database must not keep them from handing out claims
        return calls.call(() -> story(topic, id));
    }

    private ResponseEntity<byte[]> story(String topic, String id) {
        MessageStory story = journal.story(topic, id);
        return story.messages().isEmpty()
                ? answers.of(Problem.of(ProblemType.NOT_FOUND, "the journal knows nothing of this id", null))
                        .entity()
                : answers.of(200, StoryView.of(story)).entity();
    }

    @PostMapping("/messages/{id}/restore")
    CompletableFuture<ResponseEntity<byte[]>> restoreOne(
            @PathVariable("topic") String name,
            @PathVariable("id") String pathId,
            Caller caller,
            HttpServletRequest request) {
        String topic = PathNames.topic(name);
        caller.require(Right.OPERATE, topic);
        return restore(RestoreRequest.id(topic, PathNames.id(pathId, request)), request);
    }

    @PostMapping("/restore")
    CompletableFuture<ResponseEntity<byte[]>> restore(
            @PathVariable("topic") String name, Caller caller, HttpServletRequest request) {
        String topic = PathNames.topic(name);
        caller.require(Right.OPERATE, topic);
        boolean overdue = PathNames.flag(request, "overdue");
        @Nullable String id = PathNames.parameter(request, "id");
        if (id != null && overdue) {
            throw ProblemException.invalid("overdue", "has no meaning for one message");
        }
        return restore(
                id == null
                        ? new RestoreRequest(topic, null, overdue)
                        : RestoreRequest.id(topic, PathNames.id(id, request)),
                request);
    }

    private CompletableFuture<ResponseEntity<byte[]>> restore(RestoreRequest restore, HttpServletRequest request) {
        RequestedRestores requested = restores;
        if (requested == null) {
            throw new ProblemException(
                    ProblemType.NO_JOURNAL, "nothing restores: see delayqueue.journal.audit.enabled");
        }
        boolean dryRun = PathNames.flag(request, "dryRun");
        return requested
                .begin(restore, dryRun)
                .thenApply(report -> answers.of(200, RestoreView.done(report)))
                .completeOnTimeout(answers.of(202, RestoreView.RUNNING), LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(answer -> answer.entity());
    }
}
