package io.delayqueue.jdbc.restore;

import io.delayqueue.DelayQueueException;
import io.delayqueue.jdbc.support.Throttle;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs partitions that did not answer a check, at first and then once a minute. Thread-safe. */
final class UnansweredLog {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private final Throttle throttle = new Throttle(Duration.ofMinutes(1), System::nanoTime);

    void tell(String topic, List<DelayQueueException> failures) {
        long more = failures.isEmpty() ? -1 : throttle.pass();
        if (more >= 0) {
            log.warn(
                    "Partitions of topic '{}' did not answer a check for lost data, and were skipped ({} more such checks since the"
                            + " last line): {}",
                    topic,
                    more,
                    failures.get(0).getMessage());
        }
    }
}
