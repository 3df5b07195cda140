package io.delayqueue.spring.actuate;

import static io.delayqueue.spring.actuate.EndpointHttp.EXPOSED;
import static io.delayqueue.spring.actuate.EndpointHttp.HOSTILE_ID;
import static io.delayqueue.spring.actuate.EndpointHttp.HOSTILE_TOPIC;
import static io.delayqueue.spring.actuate.EndpointHttp.HOUR;
import static io.delayqueue.spring.actuate.EndpointHttp.WRITABLE;
import static io.delayqueue.spring.actuate.EndpointHttp.audit;
import static io.delayqueue.spring.actuate.EndpointHttp.client;
import static io.delayqueue.spring.actuate.EndpointHttp.json;
import static io.delayqueue.spring.actuate.EndpointHttp.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.WebApplication;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.audit.AuditEvent;
import tools.jackson.databind.json.JsonMapper;

/** Rights to operate by the endpoint, and the audit's events. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class EndpointAccessHttpTests {

    @Test
    void nothingCanBeChangedByDefault(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED)) {
            application.bean(DelayQueueOperations.class).schedule("orders", "p", HOUR);

            assertThat(post(application, Map.of("action", "pause", "topic", "orders"))
                            .statusCode())
                    .isEqualTo(405);
            assertThat(client(application).stats("orders").paused()).isFalse();
        }
    }

    @Test
    void rolesTellWhoMayOperateAndWhoMayPurge(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(
                RoleHeader.class,
                redis,
                EXPOSED,
                WRITABLE,
                "management.endpoint.delayqueue.operate-roles=operator,admin",
                "management.endpoint.delayqueue.purge-roles=admin")) {
            application
                    .bean(DelayQueueOperations.class)
                    .message("orders", "p")
                    .id("a")
                    .delay(HOUR)
                    .schedule();
            Map<String, ?> pause = Map.of("action", "pause", "topic", "orders");
            Map<String, ?> purge = Map.of("action", "purge-pending", "topic", "orders", "id", "a");

            assertThat(json(403, post(application, pause)).get("outcome").asString())
                    .isEqualTo("denied");
            json(403, post(application, pause, RoleHeader.NAME, "guest"));
            json(403, post(application, purge, RoleHeader.NAME, "operator"));
            assertThat(client(application).stats("orders").paused()).isFalse();
            assertThat(client(application).find("orders", "a")).isPresent();
            json(200, post(application, pause, RoleHeader.NAME, "operator"));
            json(200, post(application, purge, RoleHeader.NAME, "admin"));

            assertThat(audit(application))
                    .extracting(
                            AuditEvent::getPrincipal,
                            AuditEvent::getType,
                            event -> event.getData().get("outcome"))
                    .containsExactly(
                            tuple("anonymous", "DELAYQUEUE_PAUSE", "DENIED"),
                            tuple("a guest", "DELAYQUEUE_PAUSE", "DENIED"),
                            tuple("a operator", "DELAYQUEUE_PURGE_PENDING", "DENIED"),
                            tuple("a operator", "DELAYQUEUE_PAUSE", "DONE"),
                            tuple("a admin", "DELAYQUEUE_PURGE_PENDING", "DONE"));
        }
    }

    @Test
    void auditNamesCallerTopicIdsAndCount(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE)) {
            application
                    .bean(DelayQueueOperations.class)
                    .message(HOSTILE_TOPIC, "p")
                    .id(HOSTILE_ID)
                    .delay(HOUR)
                    .schedule();

            json(
                    200,
                    post(
                            application,
                            Map.of(
                                    "action",
                                    "purge-pending",
                                    "topic",
                                    HOSTILE_TOPIC,
                                    "ids",
                                    JsonMapper.shared().writeValueAsString(List.of(HOSTILE_ID))),
                            RoleHeader.NAME,
                            "boss"));

            assertThat(audit(application)).singleElement().satisfies(event -> {
                assertThat(event.getPrincipal()).isEqualTo("a boss");
                assertThat(event.getType()).isEqualTo("DELAYQUEUE_PURGE_PENDING");
                assertThat(event.getData())
                        .containsEntry("topic", HOSTILE_TOPIC)
                        .containsEntry("ids", List.of(HOSTILE_ID))
                        .containsEntry("outcome", "DONE")
                        .containsEntry("count", 1L);
            });
        }
    }
}
