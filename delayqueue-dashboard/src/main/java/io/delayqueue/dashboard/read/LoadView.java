package io.delayqueue.dashboard.read;

import io.delayqueue.spring.operator.UpcomingLoad;
import java.time.Instant;
import java.util.List;

/** Messages due from now on. */
record LoadView(Instant time, long bucketMillis, long overdue, List<Long> due, long later) {

    static LoadView of(UpcomingLoad load) {
        return new LoadView(load.time(), load.bucket().toMillis(), load.overdue(), load.due(), load.later());
    }
}
