package io.delayqueue.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.testsupport.WebApplication;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests to the endpoint of a running application, and what it answers. */
final class EndpointHttp {

    static final Duration HOUR = Duration.ofHours(1);
    static final String PATH = "/actuator/delayqueue";
    static final String EXPOSED = "management.endpoints.web.exposure.include=delayqueue";
    static final String WRITABLE = "management.endpoint.delayqueue.access=unrestricted";

    /** A topic with all that servers, shells and pages might take for something else. */
    static final String HOSTILE_TOPIC = "a//b/../c.d;e%f<script>";

    /** An id of that kind. */
    static final String HOSTILE_ID = "1,2\n<script>alert(1)</script>\u202e..//x";

    private EndpointHttp() {}

    static List<AuditEvent> audit(WebApplication application) {
        return application.bean(AuditEventRepository.class).find(null, null, null).stream()
                .filter(event -> event.getType().startsWith("DELAYQUEUE_"))
                .toList();
    }

    static DelayQueueClient client(WebApplication application) {
        return application.bean(DelayQueueClient.class);
    }

    static HttpResponse<String> post(WebApplication application, Map<String, ?> body, String... headers)
            throws Exception {
        return application.post(PATH, JsonMapper.shared().writeValueAsString(body), headers);
    }

    static JsonNode json(int status, HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonMapper.shared().readTree(response.body());
    }

    static JsonNode tree(String json) {
        return JsonMapper.shared().readTree(StringUtils.replace(json, "'", "\""));
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
