package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.restore.Difference;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.jdbc.restore.RestoreProgress;
import io.delayqueue.jdbc.restore.RestoreReport;
import io.delayqueue.jdbc.restore.RestoreRequest;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Tells of restores what the endpoint shows, and begins those that it is asked for. */
public final class RestoreReports {

    private final JournalRestore restore;
    private final RestoreRuns runs;

    /** @param runs those that were asked for */
    public RestoreReports(JournalRestore restore, RestoreRuns runs) {
        this.restore = restore;
        this.runs = runs;
    }

    RestoreDescriptor status(JournalDescriptors descriptors) {
        RestoreProgress progress = restore.progress();
        RestoreRuns.Run last = runs.last();
        return new RestoreDescriptor(
                restore.settings().mode().name(),
                restore.losses().stream()
                        .map(loss -> new LossDescriptor(
                                loss.topic(), loss.partition(), loss.loss().name()))
                        .toList(),
                restore.restored(),
                progress.equals(RestoreProgress.NONE) ? null : progress(progress),
                last == null ? null : run(last, true, descriptors));
    }

    boolean isLost(String topic) {
        return restore.losses().stream().anyMatch(loss -> loss.topic().equals(topic));
    }

    private static RestoreProgressDescriptor progress(RestoreProgress progress) {
        return new RestoreProgressDescriptor(
                progress.topic(),
                progress.scanned(),
                progress.restored(),
                progress.perSecond(),
                progress.remaining(),
                progress.running());
    }

    /** The restore that it begins, or the one that is running. */
    RestoreRunDescriptor start(RestoreRequest request, boolean dryRun, JournalDescriptors descriptors) {
        RestoreRuns.Run started = runs.start(request, dryRun);
        if (started != null) {
            return run(started, true, descriptors);
        }
        RestoreRuns.Run running = runs.last();
        return running == null
                ? new RestoreRunDescriptor(
                        false, request.topic(), request.id(), request.onlyOverdue(), dryRun, "STOPPED", null, null)
                : run(running, false, descriptors);
    }

    /** The restore that it stopped; null if none was running. */
    @Nullable
    RestoreRunDescriptor stop(JournalDescriptors descriptors) {
        RestoreRuns.Run stopped = runs.stop();
        return stopped == null ? null : run(stopped, true, descriptors);
    }

    private static RestoreRunDescriptor run(RestoreRuns.Run run, boolean accepted, JournalDescriptors descriptors) {
        String state = "RUNNING";
        @Nullable String error = null;
        @Nullable RestoreReportDescriptor report = null;
        if (run.task().isDone()) {
            try {
                report = report(run.task().get(), descriptors);
                state = "DONE";
            } catch (ExecutionException e) {
                state = "FAILED";
                error = descriptors.valueOrNull("error", String.valueOf(e.getCause()));
            } catch (CancellationException e) {
                state = "STOPPED";
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return new RestoreRunDescriptor(
                accepted,
                run.request().topic(),
                run.request().id(),
                run.request().onlyOverdue(),
                run.dryRun(),
                state,
                error,
                report);
    }

    private static RestoreReportDescriptor report(RestoreReport report, JournalDescriptors descriptors) {
        Map<String, String> failures = new TreeMap<>();
        report.failures().forEach((topic, reason) -> failures.put(topic, descriptors.valueOrNull("error", reason)));
        Map<String, Long> differences = new TreeMap<>();
        for (Difference.Kind kind : Difference.Kind.values()) {
            differences.put(kind.name(), report.count(kind));
        }
        return new RestoreReportDescriptor(
                report.scanned(),
                differences,
                report.restored(),
                report.rescheduled(),
                report.dropped(),
                report.unrecorded(),
                report.waiting(),
                failures,
                report.examples().stream()
                        .map(example -> new DifferenceDescriptor(
                                example.kind().name(),
                                example.topic(),
                                example.id(),
                                example.generation(),
                                example.text()))
                        .toList());
    }
}
