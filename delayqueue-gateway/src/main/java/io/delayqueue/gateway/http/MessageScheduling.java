package io.delayqueue.gateway.http;

import io.delayqueue.BulkScheduleException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import io.delayqueue.gateway.FutureFailures;
import io.delayqueue.gateway.http.body.Answer;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.MessageIdentity;
import io.delayqueue.gateway.http.body.MessageRequestReader;
import io.delayqueue.gateway.http.body.ScheduledView;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;
import tools.jackson.databind.JsonNode;

/** Schedules the message or messages of a body. */
public final class MessageScheduling {

    private final DelayQueueOptions options;
    private final OwnThreadSender sender;
    private final MessageRequestReader reader;
    private final Answers answers;
    private final int maxBatch;
    private final Clock clock = Clock.systemUTC();

    /**
     * Schedules by a sender.
     *
     * @param options of the client that the sender sends by
     * @param maxBatch largest number of messages in a body
     */
    public MessageScheduling(DelayQueueOptions options, OwnThreadSender sender, Answers answers, int maxBatch) {
        this.options = options;
        this.sender = sender;
        this.reader = new MessageRequestReader(answers.json());
        this.answers = answers;
        this.maxBatch = maxBatch;
    }

    /** Schedules the messages of a body; an array gets a result for each. */
    CompletableFuture<Answer> schedule(
            Caller caller, String topic, byte[] body, @Nullable MessageIdentity identity, String path) {
        JsonNode tree = answers.json().read(body);
        if (!tree.isArray()) {
            return one(caller, message(topic, tree, identity, 0), path);
        }
        if (tree.isEmpty() || tree.size() > maxBatch) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST,
                    "an array must have 1 to " + maxBatch + " messages, not " + tree.size());
        }
        return batch(caller, topic, tree, identity);
    }

    /** A message that the client won't refuse: it would refuse a whole batch for one. */
    private OutgoingMessage message(String topic, JsonNode object, @Nullable MessageIdentity identity, int index) {
        OutgoingMessage message = reader.read(topic, object, identity, index);
        long maxPayload = options.maxPayload();
        if (message.payload().length > maxPayload) {
            throw ProblemException.invalid("payload", "may have at most " + maxPayload + " bytes");
        }
        options.messageCheck().check(message);
        return message;
    }

    private CompletableFuture<Answer> one(Caller caller, OutgoingMessage message, String path) {
        return sender.scheduleAsync(caller, message).thenApply(result -> {
            ScheduledView view = ScheduledView.of(message, result, clock);
            if (view.problem() != null) {
                return answers.of(view.problem());
            }
            Answer answer = answers.of(view.status(), view);
            return view.status() == 201 ? answer.at(location(path, message.id())) : answer;
        });
    }

    private static String location(String path, String id) {
        boolean notForPaths = id.contains("/") || id.contains("\\") || id.equals(".") || id.equals("..");
        return path + (notForPaths ? "?id=" : "/") + UriUtils.encode(id, StandardCharsets.UTF_8);
    }

    private CompletableFuture<Answer> batch(
            Caller caller, String topic, JsonNode array, @Nullable MessageIdentity identity) {
        List<@Nullable ScheduledView> views = new ArrayList<>();
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            try {
                messages.add(message(topic, array.get(i), identity, i));
                views.add(null);
            } catch (ProblemException | IllegalArgumentException e) {
                views.add(ScheduledView.failed(null, answers.problems().of(e)));
            }
        }
        return results(caller, messages).thenApply(scheduled -> {
            int next = 0;
            for (int i = 0; i < views.size(); i++) {
                if (views.get(i) == null) {
                    views.set(i, scheduled.get(next++));
                }
            }
            Answer answer = answers.of(200, Map.of("results", views));
            boolean perhapsLater = scheduled.stream().anyMatch(view -> view.status() >= 429);
            return perhapsLater ? answer.with(Answer.Repeat.SAME_MESSAGES) : answer;
        });
    }

    private CompletableFuture<List<ScheduledView>> results(Caller caller, List<OutgoingMessage> messages) {
        return sender.scheduleAllAsync(caller, messages).handle((results, failure) -> {
            if (failure == null) {
                List<ScheduledView> views = new ArrayList<>();
                for (int i = 0; i < results.size(); i++) {
                    views.add(view(messages.get(i), results.get(i)));
                }
                return views;
            }
            Throwable cause = FutureFailures.unwrap(failure);
            if (cause instanceof BulkScheduleException bulk) {
                return bulk.entries().stream().map(this::view).toList();
            }
            throw new CompletionException(cause);
        });
    }

    private ScheduledView view(BulkScheduleException.Entry entry) {
        if (entry.result() != null) {
            return view(entry.message(), entry.result());
        }
        if (entry.error() == null) {
            throw new IllegalStateException("an entry has either a result or an error");
        }
        return ScheduledView.failed(entry.message().id(), answers.problems().of(entry.error()));
    }

    private ScheduledView view(OutgoingMessage message, ScheduleResult result) {
        return ScheduledView.of(message, result, clock);
    }
}
