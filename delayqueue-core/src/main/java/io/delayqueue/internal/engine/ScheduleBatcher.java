package io.delayqueue.internal.engine;

import io.delayqueue.MessageState;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.GroupCommit;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionsChangedException;
import io.delayqueue.internal.store.ScheduleAnswer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Schedules the messages of one partition in batches of concurrent calls, one batch after the other. */
final class ScheduleBatcher extends GroupCommit<ScheduleRequest, ScheduleResult> {

    /** A batch waits at most this long for concurrent callers: about the time in which an answered caller calls again. */
    private static final long GATHER_MICROS = 200;

    private final ClientContext client;
    private final Partition partition;
    private final String topic;
    private final MessageScheduler scheduler;

    ScheduleBatcher(ClientContext client, Partition partition, MessageScheduler scheduler) {
        this.client = client;
        this.partition = partition;
        this.topic = partition.topic();
        this.scheduler = scheduler;
    }

    /**
     * Callers that were answered together often call again at once: then they go together again. A caller alone waits once after a batch
     * of several, and never after one of its own.
     */
    @Override
    protected boolean mayGather(int waiting, int recentBatchSize) {
        return waiting < Math.min(recentBatchSize, MessageStore.LARGEST_BATCH);
    }

    @Override
    protected boolean sendLater(Runnable task) {
        try {
            client.timer().schedule(task, GATHER_MICROS, TimeUnit.MICROSECONDS);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }

    @Override
    protected CompletableFuture<List<@Nullable ScheduleResult>> send(List<ScheduleRequest> batch) {
        return client.store()
                .schedule(
                        partition, batch.stream().map(ScheduleRequest::message).toList())
                .whenComplete((answer, error) -> {
                    if (error != null && FutureErrors.unwrap(error) instanceof ReplicationTimeoutException) {
                        // the primary has the messages all the same
                        scheduler.headIsEarlier(topic, 0);
                    }
                })
                .thenApply(answer -> {
                    if (answer.headWaitMicros() >= 0) {
                        scheduler.headIsEarlier(topic, answer.headWaitMicros());
                    }
                    return results(batch, answer);
                });
    }

    private List<@Nullable ScheduleResult> results(List<ScheduleRequest> batch, ScheduleAnswer answer) {
        List<@Nullable ScheduleResult> results = new ArrayList<>(batch.size());
        List<ScheduleResult> rejected = new ArrayList<>(0);
        Iterator<MessageState> existing = answer.existing().iterator();
        int count = 0;
        for (int i = 0; i < batch.size(); i++) {
            String id = batch.get(i).message().id();
            ScheduleOutcome outcome = answer.outcomes().get(i);
            if (outcome == null) {
                results.add(null);
            } else if (outcome == ScheduleOutcome.SCHEDULED || outcome == ScheduleOutcome.REPLACED) {
                count++;
                results.add(new ScheduleResult(id, outcome));
            } else {
                ScheduleResult duplicate = new ScheduleResult(id, outcome, existing.next());
                results.add(duplicate);
                if (outcome == ScheduleOutcome.REJECTED_DUPLICATE) {
                    rejected.add(duplicate);
                }
            }
        }
        int accepted = count;
        if (accepted > 0) {
            client.observer().call(observer -> observer.accepted(topic, accepted));
        }
        if (!rejected.isEmpty()) {
            scheduler.duplicatesRejected(topic, rejected);
        }
        return results;
    }

    /** Half of the time that a batch may take: a call that began to wait while the last batch was under way fails with it. */
    @Override
    protected long patienceNanos() {
        return client.options().commandTimeout().toNanos() / 2;
    }

    @Override
    protected void failed(ScheduleRequest request, CompletableFuture<ScheduleResult> answer, Throwable error) {
        if (error instanceof PartitionsChangedException changed) {
            scheduler.repeat(request, answer, changed);
        } else {
            answer.completeExceptionally(scheduler.failure(request, error));
        }
    }

    @Override
    protected Throwable unsent(ScheduleRequest request, Throwable error) {
        return scheduler.failure(request, new UnsentException(error));
    }

    @Override
    protected Throwable refusal(ScheduleRequest request) {
        return scheduler.topicFull(topic, request.message().id());
    }

    @Override
    protected Object key(ScheduleRequest request) {
        return request.message().id();
    }

    @Override
    protected int weight(ScheduleRequest request) {
        return request.bytes();
    }
}
