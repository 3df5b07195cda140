package io.delayqueue.jdbc.restore;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ApplicationContext;

/** Compares a topic of an application now, as it is compared from time to time. */
public final class ComparedTopic {

    private static final RestoreSettings AT_ONCE = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            RestoreSettings.DEFAULTS.rate(),
            RestoreSettings.DEFAULTS.checkInterval(),
            Duration.ZERO,
            RestoreSettings.DEFAULTS.holdTimeout(),
            RestoreSettings.DEFAULTS.checkTimeout(),
            Duration.ofMillis(100));

    private ComparedTopic() {}

    /** The reports of what was repaired: one, or none if there was nothing to do. */
    public static List<RestoreReport> compare(ApplicationContext context, String topic) {
        List<RestoreReport> reports = new ArrayList<>();
        new JournalRestore(
                        context.getBean(DelayQueueClient.class),
                        context.getBean(JournalDatabase.class),
                        context.getBean(SeenMarks.class),
                        PendingEnds.NONE,
                        AT_ONCE,
                        event -> {
                            if (event instanceof RestoreFinishedEvent finished) {
                                reports.add(finished.report());
                            }
                        })
                .compare(topic, () -> false);
        return reports;
    }
}
