package io.delayqueue.docs.operator;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.RedriveOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

class TopicCleanUp {

    private final DelayQueueClient delayQueue;

    TopicCleanUp(DelayQueueClient delayQueue) {
        this.delayQueue = delayQueue;
    }

    // tag::redrive[]
    long redriveGently() {
        RedriveOptions gently = RedriveOptions.builder()
                .delay(Duration.ofMinutes(5)) // the first is due in five minutes
                .ratePerSecond(50) // and then one every 20 ms
                .build();
        return delayQueue.deadLetters("reminder").redriveAll(gently);
    }
    // end::redrive[]

    // tag::pending[]
    void printPending() {
        PendingMessages pending = delayQueue.pending("reminder");
        Position position = Position.FIRST; // or Position.from(an instant)
        List<PendingMessage> page = pending.list(position, 100);
        while (!page.isEmpty()) {
            page.forEach(message -> System.out.println(message.due() + " " + message.id()));
            position = page.get(page.size() - 1).position();
            page = pending.list(position, 100);
        }
    }

    long dropRemindersUntil(Instant due) {
        return delayQueue.pending("reminder").purgeDueUntil(due);
    }
    // end::pending[]

    // tag::delete[]
    void removeOldTopic() {
        DeleteTopicOutcome outcome = delayQueue.deleteTopic("reminder");
        if (outcome == DeleteTopicOutcome.NOT_EMPTY) {
            throw new IllegalStateException("somebody still uses the topic");
        }
    }
    // end::delete[]
}
