package io.delayqueue.dashboard.http;

import io.delayqueue.dashboard.access.DashboardCallers;
import io.delayqueue.dashboard.read.DashboardReader;
import io.delayqueue.dashboard.read.JobView;
import io.delayqueue.dashboard.read.TopicView;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Reads of topics, jobs and operations. */
@RestController
@RequestMapping("${delayqueue.dashboard.path:/delayqueue}/api")
public final class ReadController {

    private final DashboardReader reader;
    private final DelayQueueOperator operator;
    private final DashboardCallers callers;
    private final LatestOperations operations;
    private final Answers answers;

    /** A controller of what this reader reads. */
    public ReadController(
            DashboardReader reader,
            DelayQueueOperator operator,
            DashboardCallers callers,
            LatestOperations operations,
            Answers answers) {
        this.reader = reader;
        this.operator = operator;
        this.callers = callers;
        this.operations = operations;
        this.answers = answers;
    }

    @GetMapping("/overview")
    CompletableFuture<ResponseEntity<byte[]>> overview(
            HttpServletRequest request,
            @RequestParam(name = "q", defaultValue = "") String part,
            @RequestParam(defaultValue = "attention") String sort,
            @RequestParam(defaultValue = "0") int offset,
            @RequestParam(defaultValue = "50") int limit) {
        OverviewQuery query = new OverviewQuery(part, sort, offset, limit);
        return reader.overview(callers.of(request))
                .thenApply(overview -> answers.json(OverviewView.of(overview, query)));
    }

    @GetMapping("/topic")
    CompletableFuture<ResponseEntity<byte[]>> topic(
            HttpServletRequest request,
            @RequestParam String topic,
            @RequestParam(required = false) @Nullable Set<String> parts,
            @RequestParam(required = false) @Nullable Long bucketMillis,
            @RequestParam(required = false) @Nullable Integer buckets,
            @RequestParam(required = false) @Nullable String pendingAfter,
            @RequestParam(required = false) @Nullable Integer pendingLimit,
            @RequestParam(required = false) @Nullable Integer deadOffset,
            @RequestParam(required = false) @Nullable Integer deadLimit,
            @RequestParam(required = false) @Nullable Integer inFlightLimit) {
        TopicRequest wanted = new TopicRequest(
                parts, bucketMillis, buckets, pendingAfter, pendingLimit, deadOffset, deadLimit, inFlightLimit);
        return reader.topic(callers.of(request), topic, wanted.reads(topic))
                .thenApply(found -> answers.json(view(
                        topic,
                        wanted,
                        found.orElseThrow(
                                () -> new ProblemException(ProblemType.NOT_FOUND, "there is no such topic")))));
    }

    private Map<String, Object> view(String topic, TopicRequest wanted, TopicView found) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("asOf", found.asOf());
        view.put("topic", topic);
        Map<String, String> failed = new LinkedHashMap<>();
        found.failed().forEach((part, failure) -> failed.put(part, answers.reason(failure)));
        view.put("failed", failed);
        if (wanted.has("stats")) {
            view.put("stats", StatsView.of(found.row()));
        }
        if (wanted.has("history")) {
            view.put("history", HistoryView.of(found.row()));
        }
        view.putAll(found.parts());
        return view;
    }

    @GetMapping("/search")
    CompletableFuture<ResponseEntity<byte[]>> search(HttpServletRequest request, @RequestParam String id) {
        return reader.search(callers.of(request), id).thenApply(found -> answers.json(SearchView.of(id, found)));
    }

    @GetMapping("/activity")
    ResponseEntity<byte[]> activity(HttpServletRequest request) {
        Caller caller = callers.of(request);
        List<JobView> jobs = JobView.latestFirst(operator.bulk().jobs(caller));
        return answers.json(new ActivityView(Instant.now(), jobs, operations.latestFirst()));
    }

    /** The operations and jobs of operators in this process. */
    record ActivityView(Instant asOf, List<JobView> jobs, List<LatestOperations.Row> events) {}
}
