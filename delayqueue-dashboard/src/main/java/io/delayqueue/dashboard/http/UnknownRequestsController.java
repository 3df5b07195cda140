package io.delayqueue.dashboard.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers requests of the API that no other controller knows: the path, or the method of that path. */
@RestController
@RequestMapping("${delayqueue.dashboard.path:/delayqueue}/api")
public final class UnknownRequestsController {

    private static final Set<String> READS =
            Set.of("overview", "topic", "message", "search", "payload", "raw", "activity");
    private static final Set<String> WRITES = Set.of("plan", "start", "stop", "operation");

    private final Answers answers;

    /** A controller that answers so. */
    public UnknownRequestsController(Answers answers) {
        this.answers = answers;
    }

    @RequestMapping("/**")
    ResponseEntity<byte[]> unknown(HttpServletRequest request) {
        String uri = request.getRequestURI();
        String name = uri.substring(uri.lastIndexOf('/') + 1);
        String allowed = READS.contains(name) ? "GET, HEAD" : WRITES.contains(name) ? "POST" : "";
        if (allowed.isEmpty()) {
            return answers.problem(new ProblemException(ProblemType.NO_SUCH_PATH, "the API has no such path"));
        }
        ResponseEntity<byte[]> refused =
                answers.problem(new ProblemException(ProblemType.METHOD_NOT_ALLOWED, "allowed: " + allowed));
        return ResponseEntity.status(refused.getStatusCode())
                .headers(refused.getHeaders())
                .header(HttpHeaders.ALLOW, allowed)
                .body(refused.getBody());
    }
}
