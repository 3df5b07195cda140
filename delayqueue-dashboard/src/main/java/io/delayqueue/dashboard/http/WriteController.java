package io.delayqueue.dashboard.http;

import io.delayqueue.dashboard.access.DashboardCallers;
import io.delayqueue.dashboard.read.DashboardReader;
import io.delayqueue.dashboard.read.JobView;
import io.delayqueue.spring.operator.BulkPlan;
import io.delayqueue.spring.operator.BulkRequest;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.Operation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Operations on topics and messages. */
@RestController
@RequestMapping("${delayqueue.dashboard.path:/delayqueue}/api")
public final class WriteController {

    private final DashboardReader reader;
    private final DelayQueueOperator operator;
    private final WriteGuard guard;
    private final Answers answers;

    /** A controller of operations by this operator. */
    public WriteController(
            DashboardReader reader, DelayQueueOperator operator, DashboardCallers callers, Answers answers) {
        this.reader = reader;
        this.operator = operator;
        this.guard = new WriteGuard(callers, answers);
        this.answers = answers;
    }

    record PlanRequest(
            @Nullable Operation operation,
            @Nullable String topic,
            @Nullable Instant until,
            @Nullable String errorGroup) {

        BulkRequest bulk() {
            return new BulkRequest(
                    OperationRequest.required("operation", operation),
                    OperationRequest.required("topic", topic),
                    until,
                    errorGroup);
        }
    }

    record TokenRequest(@Nullable String token, @Nullable Integer ratePerSecond) {}

    @PostMapping("/operation")
    CompletableFuture<ResponseEntity<byte[]>> operation(HttpServletRequest request) throws IOException {
        Caller caller = guard.caller(request);
        OperationRequest wanted = guard.body(request, OperationRequest.class);
        return reader.alone(() -> wanted.run(operator, caller)).thenApply(result -> {
            reader.expireAll();
            return answers.json(result);
        });
    }

    @PostMapping("/plan")
    CompletableFuture<ResponseEntity<byte[]>> plan(HttpServletRequest request) throws IOException {
        Caller caller = guard.caller(request);
        BulkRequest wanted = guard.body(request, PlanRequest.class).bulk();
        return reader.alone(() -> operator.bulk().plan(caller, wanted)).thenApply(plan -> answers.json(view(plan)));
    }

    private static Map<String, Object> view(BulkPlan plan) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("token", plan.token());
        view.put("operation", plan.request().operation());
        view.put("topic", plan.request().topic());
        view.put("until", plan.request().until());
        view.put("errorGroup", plan.request().errorGroup());
        view.put("count", plan.count());
        view.put("matching", plan.matching());
        view.put("expires", plan.expires());
        return view;
    }

    @PostMapping("/start")
    ResponseEntity<byte[]> start(HttpServletRequest request) throws IOException {
        Caller caller = guard.caller(request);
        TokenRequest wanted = guard.body(request, TokenRequest.class);
        String token = OperationRequest.required("token", wanted.token());
        JobView job = JobView.of(operator.bulk().start(caller, token, wanted.ratePerSecond()));
        reader.expireAll();
        return answers.json(job);
    }

    @PostMapping("/stop")
    ResponseEntity<byte[]> stop(HttpServletRequest request) throws IOException {
        Caller caller = guard.caller(request);
        TokenRequest wanted = guard.body(request, TokenRequest.class);
        JobView job = JobView.of(operator.bulk().stop(caller, OperationRequest.required("token", wanted.token())));
        reader.expireAll();
        return answers.json(job);
    }
}
