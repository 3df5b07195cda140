package io.delayqueue.gateway.callback;

import io.delayqueue.AsyncMessageHandler;
import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.gateway.FutureFailures;
import io.delayqueue.gateway.callback.CallbackOutcome.MessageOutcome;
import io.delayqueue.gateway.callback.CallbackOutcome.TargetOutcome;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the due messages of a topic to their URLs, and acks, retries, postpones or dead-letters them by the responses. No thread waits
 * for a response. Thread-safe.
 */
final class CallbackHandler implements AsyncMessageHandler {

    /** A message that found its target gone is delivered again then, as others of a paused target do. */
    private static final Duration PAUSED = Duration.ofMinutes(1);

    /** The others of a topic's slots are for targets that answer. */
    private static final double SHARE_OF_UNANSWERED = 0.5;

    /** A message that finds no slot since others wait for targets that do not answer is delivered again then, or up to twice as late. */
    private static final Duration UNANSWERED = Duration.ofSeconds(5);

    private final CallbackTopic topic;
    private final Services services;

    /** Calls to targets that are new, or did not answer; null if the topic has one target. */
    private final @Nullable Semaphore unanswered;

    /**
     * The services that handlers of all topics share.
     *
     * @param targets allow calls
     * @param client makes them
     * @param policy judges their ends
     * @param statuses keep statuses between attempts
     * @param results are told
     * @param observer is told of calls
     * @param blocking runs tasks that wait for Redis
     */
    record Services(
            CallbackTargets targets,
            CallbackClient client,
            ResponsePolicy policy,
            PreviousStatuses statuses,
            CallbackResults results,
            CallbackObserver observer,
            Executor blocking) {}

    CallbackHandler(CallbackTopic topic, Services services) {
        this.topic = topic;
        this.services = services;
        this.unanswered = topic.hasManyTargets()
                ? new Semaphore(
                        (int) Math.ceil(SHARE_OF_UNANSWERED * topic.options().concurrency()))
                : null;
    }

    @Override
    public CompletionStage<?> handleAsync(ReceivedMessage message, Delivery delivery) {
        URI url;
        try {
            url = topic.urls().of(message.headers());
        } catch (TargetException e) {
            return new Attempt(message, delivery).giveUp(null, "no callback was sent: " + e.getMessage());
        }
        String target = topic.targetOf(url);
        Admission admission = services.targets.admit(
                target, CallbackTopic.keyOf(url), topic.hasManyUrls(), message.topic() + ' ' + message.id());
        if (admission instanceof Admission.Refused refused) {
            delivery.postpone(refused.delay());
            return CompletableFuture.completedFuture(null);
        }
        Admission.Granted granted = (Admission.Granted) admission;
        Semaphore share = services.targets.answers(target) ? null : unanswered;
        if (share != null && !share.tryAcquire()) {
            services.targets.withdrawn(target, granted);
            delivery.postpone(UNANSWERED.plusMillis(ThreadLocalRandom.current().nextLong(UNANSWERED.toMillis())));
            return CompletableFuture.completedFuture(null);
        }
        return new Attempt(message, delivery).call(url, target, granted, share == null ? () -> {} : share::release);
    }

    /** One attempt of one message. */
    private final class Attempt {

        private final ReceivedMessage message;
        private final Delivery delivery;

        /** Completes when the outcome is requested; an ack if nothing is. */
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Attempt(ReceivedMessage message, Delivery delivery) {
            this.message = message;
            this.delivery = delivery;
        }

        /** @param ended is run when the call has ended, or could not begin */
        CompletableFuture<Void> call(URI url, String target, Admission.Granted granted, Runnable ended) {
            long begun = System.nanoTime();
            CompletableFuture<CallbackResponse> call;
            try {
                String previous = services.statuses.before(message);
                call = services.client.send(CallbackRequests.of(topic, url, message, previous, Instant.now()));
            } catch (RuntimeException | Error e) {
                services.targets.withdrawn(target, granted);
                ended.run();
                throw e;
            }
            call.whenComplete((response, thrown) -> ended.run());
            call.whenComplete((response, thrown) -> guarded(() -> {
                Throwable error = FutureFailures.unwrap(thrown);
                boolean isCancelled = error instanceof CancellationException || delivery.isInterrupted();
                services.observer.called(
                        topic.name(),
                        target,
                        result(isCancelled, response),
                        Duration.ofNanos(System.nanoTime() - begun));
                if (isCancelled) {
                    services.targets.withdrawn(target, granted);
                    done.completeExceptionally(new CancellationException("the call was cancelled"));
                    return;
                }
                CallbackOutcome outcome = outcome(response, error);
                services.targets.ended(target, granted, outcome);
                conclude(outcome, url, response == null ? null : response.status());
            }));
            // the library cancels the stage of a handler that has no time left
            done.whenComplete((nothing, error) -> {
                if (done.isCancelled()) {
                    call.cancel(true);
                }
            });
            return done;
        }

        private static CallResult result(boolean isCancelled, @Nullable CallbackResponse response) {
            if (isCancelled) {
                return CallResult.CANCELLED;
            }
            return response == null ? CallResult.NO_RESPONSE : CallResult.of(response.status());
        }

        private CallbackOutcome outcome(@Nullable CallbackResponse response, @Nullable Throwable error) {
            if (response != null) {
                return services.policy.of(
                        response.status(), response.retryHeader(), response.retryAfter(), Instant.now());
            }
            return services.policy.ofFailure("no response: " + error);
        }

        private void conclude(CallbackOutcome outcome, URI url, @Nullable Integer status) {
            boolean isQuick = outcome.message() == MessageOutcome.ACK && message.attempt() == 1;
            if (isQuick) {
                accepted(status);
            } else {
                // the thread serves the connections of all targets
                runBeside(() -> settle(outcome, url, status));
            }
        }

        private void settle(CallbackOutcome outcome, URI url, @Nullable Integer status) {
            boolean isPaused = outcome.target() == TargetOutcome.GONE
                    && services.targets.gone(
                            CallbackTopic.keyOf(url),
                            "status 410 for message '" + message.id() + "' of topic '" + message.topic() + "'");
            switch (outcome.message()) {
                case ACK -> {
                    services.statuses.forget(message);
                    accepted(status);
                }
                case RETRY -> retry(outcome, status);
                case POSTPONE -> {
                    if (!isPaused) {
                        retry(outcome, status);
                        return;
                    }
                    delivery.postpone(PAUSED);
                    done.complete(null);
                }
                case DEAD_LETTER -> giveUp(status, outcome.reason());
            }
        }

        private void accepted(@Nullable Integer status) {
            follow(() -> services.results.succeeded(topic.results().onSuccess(), message, status), () -> {});
        }

        private void retry(CallbackOutcome outcome, @Nullable Integer status) {
            if (message.attempt() >= message.maxAttempts()) {
                giveUp(status, outcome.reason());
                return;
            }
            Duration delay = topic.backoff(message.headers()).delayAfter(message.attempt());
            Duration asked = outcome.retryAfter();
            if (asked != null && asked.compareTo(delay) > 0) {
                delay = asked;
            }
            services.statuses.keep(message, status == null ? PreviousStatuses.NONE : status.toString(), delay);
            delivery.retryAfter(delay);
            done.completeExceptionally(new CallbackFailedException(outcome.reason()));
        }

        CompletableFuture<Void> giveUp(@Nullable Integer status, String reason) {
            follow(
                    () -> services.results.failed(topic.results().onFailure(), message, status, reason),
                    () -> delivery.deadLetter(reason));
            return done;
        }

        /** The result comes first, so that none is lost if this process ends; it never fails the attempt, or the call was repeated. */
        private void follow(Supplier<CompletableFuture<Void>> result, Runnable request) {
            guarded(() -> result.get()
                    .whenComplete((scheduled, error) -> guarded(() -> {
                        request.run();
                        done.complete(null);
                    })));
        }

        private void runBeside(Runnable task) {
            guarded(() -> services.blocking.execute(() -> guarded(task)));
        }

        /** Nobody else would end the attempt. */
        private void guarded(Runnable task) {
            try {
                task.run();
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        }
    }
}
