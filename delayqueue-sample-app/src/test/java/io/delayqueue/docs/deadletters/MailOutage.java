package io.delayqueue.docs.deadletters;

import io.delayqueue.DelayQueueClient;
import org.springframework.stereotype.Service;

// tag::outage[]
@Service
class MailOutage {

    private final DelayQueueClient delayQueue;

    MailOutage(DelayQueueClient delayQueue) {
        this.delayQueue = delayQueue;
    }

    void begin() {
        delayQueue.pause("reminder"); // in all processes, and across restarts
    }

    long end() {
        delayQueue.resume("reminder");
        return delayQueue.deadLetters("reminder").redriveAll(); // due at once, with all attempts again
    }
}
// end::outage[]
