package io.delayqueue.gateway.http.journal;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.jdbc.restore.Difference;
import io.delayqueue.jdbc.restore.RestoreReport;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A restore.
 *
 * @param state running or done
 * @param dryRun whether it changed nothing
 * @param scanned messages compared
 * @param differences number of differences of each kind
 * @param restored messages scheduled again
 * @param rescheduled messages that got the journal's due time
 * @param dropped messages deleted from Redis, as they are finished in the journal
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RestoreView(
        String state,
        @Nullable Boolean dryRun,
        @Nullable Long scanned,
        @Nullable Map<String, Long> differences,
        @Nullable Long restored,
        @Nullable Long rescheduled,
        @Nullable Long dropped) {

    static final RestoreView RUNNING = new RestoreView("running", null, null, null, null, null, null);

    static RestoreView done(RestoreReport report) {
        Map<String, Long> differences = new TreeMap<>();
        for (Difference.Kind kind : Difference.Kind.values()) {
            differences.put(kind.name().toLowerCase(Locale.ROOT), report.count(kind));
        }
        return new RestoreView(
                "done",
                report.dryRun(),
                report.scanned(),
                differences,
                report.restored(),
                report.rescheduled(),
                report.dropped());
    }
}
