package io.delayqueue.spring.actuate;

import static io.delayqueue.spring.actuate.EndpointHttp.EXPOSED;
import static io.delayqueue.spring.actuate.EndpointHttp.HOUR;
import static io.delayqueue.spring.actuate.EndpointHttp.PATH;
import static io.delayqueue.spring.actuate.EndpointHttp.WRITABLE;
import static io.delayqueue.spring.actuate.EndpointHttp.audit;
import static io.delayqueue.spring.actuate.EndpointHttp.client;
import static io.delayqueue.spring.actuate.EndpointHttp.json;
import static io.delayqueue.spring.actuate.EndpointHttp.post;
import static io.delayqueue.spring.actuate.EndpointHttp.tree;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.WebApplication;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** The endpoint's operations over real HTTP, and what they do. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class EndpointOperationsHttpTests {

    @Test
    void topicIsPausedAndResumed(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE)) {
            application.bean(DelayQueueOperations.class).schedule("orders", "p", HOUR);

            assertThat(json(200, post(application, Map.of("action", "pause", "topic", "orders"))))
                    .isEqualTo(tree("{'action':'pause','topic':'orders','outcome':'done','count':0}"));
            assertThat(client(application).stats("orders").paused()).isTrue();
            json(200, post(application, Map.of("action", "resume", "topic", "orders")));
            assertThat(client(application).stats("orders").paused()).isFalse();

            assertThat(json(404, post(application, Map.of("action", "pause", "topic", "oders")))
                            .get("outcome")
                            .asString())
                    .isEqualTo("not_found");
            assertThat(client(application).stats("oders").paused())
                    .as("a mistyped topic leaves nothing in Redis")
                    .isFalse();
        }
    }

    @Test
    void messagesAreChanged(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE)) {
            for (String id : List.of("a", "b", "c", "d,e", "d", "e")) {
                application
                        .bean(DelayQueueOperations.class)
                        .message("orders", "p")
                        .id(id)
                        .delay(HOUR)
                        .schedule();
            }

            json(200, post(application, Map.of("action", "cancel", "topic", "orders", "id", "a")));
            json(404, post(application, Map.of("action", "cancel", "topic", "orders", "id", "a")));
            json(200, post(application, Map.of("action", "reschedule", "topic", "orders", "id", "b", "delay", "PT5H")));
            json(200, post(application, Map.of("action", "run-now", "topic", "orders", "id", "c")));
            JsonNode purged = json(
                    200,
                    post(application, Map.of("action", "purge-pending", "topic", "orders", "ids", "[\"d,e\",\"x\"]")));

            assertThat(purged.get("count").asInt()).isOne();
            JsonNode page = json(200, application.get(PATH + "?topic=orders&view=pending"));
            assertThat(page.get("messages").findValuesAsString("id")).containsExactly("c", "d", "e", "b");
            assertThat(page.get("messages").get(0).get("state").asString()).isEqualTo("ready");
        }
    }

    @Test
    void messageThatAConsumerHasIsAConflict(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE)) {
            application
                    .bean(DelayQueueOperations.class)
                    .message("slow", "p")
                    .id("s-1")
                    .schedule();
            await().until(() -> client(application).stats("slow").inFlight() == 1);

            assertThat(json(409, post(application, Map.of("action", "run-now", "topic", "slow", "id", "s-1")))
                            .get("outcome")
                            .asString())
                    .isEqualTo("in_flight");
        }
    }

    @Test
    void deadLettersAreRedrivenAndPurged(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE)) {
            for (String id : List.of("w-1", "w-2", "w-3")) {
                application
                        .bean(DelayQueueOperations.class)
                        .message("work", "secret")
                        .id(id)
                        .schedule();
            }
            await().until(() -> client(application).stats("work").dead() == 3);
            client(application).pause("work");

            JsonNode first = json(200, application.get(PATH + "?topic=work&view=dead-letters&limit=2"));
            JsonNode second = json(
                    200,
                    application.get(PATH + "?topic=work&view=dead-letters&limit=2&offset="
                            + first.get("next").asInt()));
            assertThat(first.get("deadLetters").size()).isEqualTo(2);
            assertThat(second.get("deadLetters").size()).isOne();
            assertThat(first.toString() + second).doesNotContain("secret");
            assertThat(json(200, post(application, Map.of("action", "redrive", "topic", "work", "id", "w-1")))
                            .get("count")
                            .asInt())
                    .isOne();
            assertThat(json(
                                    200,
                                    post(
                                            application,
                                            Map.of(
                                                    "action",
                                                    "purge-dead-letters",
                                                    "topic",
                                                    "work",
                                                    "ids",
                                                    "[\"w-1\",\"w-2\",\"w-3\"]")))
                            .get("count")
                            .asInt())
                    .as("one is pending again")
                    .isEqualTo(2);
        }
    }

    @Test
    void requestsThatMeanNothingAreRefusedAndChangeNothing(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE)) {
            application.bean(DelayQueueOperations.class).schedule("orders", "p", HOUR);

            for (Map<String, ?> body : List.<Map<String, ?>>of(
                    Map.of("action", "explode", "topic", "orders"),
                    Map.of("topic", "orders"),
                    Map.of("action", "pause"),
                    Map.of("action", "pause", "topic", "orders", "id", "a"),
                    Map.of("action", "plan", "topic", "orders"),
                    Map.of("action", "plan", "topic", "orders", "operation", "pause"),
                    Map.of("action", "plan", "topic", "orders", "operation", "purge-pending", "errorGroup", "x"),
                    Map.of("action", "start"),
                    Map.of("action", "start", "token", "x", "rate", 0),
                    Map.of("action", "start", "token", "x", "topic", "orders"),
                    Map.of("action", "cancel", "topic", "orders"),
                    Map.of("action", "cancel", "topic", "orders", "id", ""),
                    Map.of("action", "cancel", "topic", "orders", "id", "x".repeat(513)),
                    Map.of("action", "cancel", "topic", "or ders", "id", "a"),
                    Map.of("action", "cancel", "topic", "orders", "ids", "[\"a\"]"),
                    Map.of("action", "redrive", "topic", "orders"),
                    Map.of("action", "redrive", "topic", "orders", "ids", "a,b"),
                    Map.of("action", "redrive", "topic", "orders", "ids", "[]"),
                    Map.of("action", "redrive", "topic", "orders", "ids", "[1, 2]"),
                    Map.of("action", "redrive", "topic", "orders", "ids", "[[\"a\"]]"),
                    Map.of("action", "reschedule", "topic", "orders", "id", "a"),
                    Map.of("action", "reschedule", "topic", "orders", "id", "a", "delay", "soon"),
                    Map.of("action", "reschedule", "topic", "orders", "id", "a", "due", "+10000-01-01T00:00:00Z"),
                    Map.of("action", "run-now", "topic", "orders", "id", "a", "delay", "PT1H"))) {
                assertThat(post(application, body).statusCode()).as("%s", body).isEqualTo(400);
            }
            for (String query : List.of(
                    "?view=pending",
                    "?topic=orders&view=everything",
                    "?topic=orders&view=pending&limit=0",
                    "?topic=orders&view=pending&limit=many",
                    "?topic=orders&view=pending&limit=99999999999",
                    "?topic=orders&view=pending&after=yesterday",
                    "?topic=orders&view=pending&after=-1000-01-01T00:00:00Z",
                    "?topic=orders&view=pending&offset=1",
                    "?topic=orders&view=pending&id=a",
                    "?topic=orders&view=dead-letters&offset=-1",
                    "?topic=orders&view=dead-letters&offset=100001",
                    "?topic=orders&view=load&bucket=0s",
                    "?topic=orders&view=load&bucket=9999999h",
                    "?topic=orders&view=load&buckets=-5",
                    "?topic=or%20ders&view=load",
                    "?topic=orders&limit=5",
                    "?view=jobs&topic=orders",
                    "?view=errors",
                    "?limit=5")) {
                assertThat(application.get(PATH + query).statusCode())
                        .as("%s", query)
                        .isEqualTo(400);
            }
            assertThat(client(application).topics()).contains("orders").doesNotContain("or ders");
            assertThat(audit(application)).isEmpty();
        }
    }

    @Test
    void manyDeadLettersAreRedrivenByPlanAndJob(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE)) {
            for (int i = 0; i < 5; i++) {
                application.bean(DelayQueueOperations.class).schedule("work", "secret", Duration.ZERO);
            }
            await().until(() -> client(application).stats("work").dead() == 5);
            JsonNode errors = json(200, application.get(PATH + "?topic=work&view=errors"));
            assertThat(errors.get("examined").asInt()).isEqualTo(5);
            assertThat(errors.get("groups").size()).isOne();
            assertThat(errors.toString()).contains("******").doesNotContain("secret");
            String group = errors.get("groups").get(0).get("id").asString();

            JsonNode plan = json(
                    200,
                    post(
                            application,
                            Map.of(
                                    "action", "plan",
                                    "operation", "purge-dead-letters",
                                    "topic", "work",
                                    "errorGroup", group)));
            assertThat(plan.get("count").asInt()).isEqualTo(5);
            String token = plan.get("token").asString();
            json(200, post(application, Map.of("action", "start", "token", token)));
            await().until(() ->
                    json(200, application.get(PATH + "?view=jobs")).toString().contains("\"state\":\"done\""));

            assertThat(json(200, post(application, Map.of("action", "start", "token", token)))
                            .get("changed")
                            .asInt())
                    .isEqualTo(5);
            assertThat(client(application).stats("work").dead()).isZero();
            assertThat(json(404, post(application, Map.of("action", "stop", "token", "unknown")))
                            .get("outcome")
                            .asString())
                    .isEqualTo("unknown_token");
            await().until(() -> audit(application).size() == 2);
            assertThat(audit(application))
                    .extracting(
                            event -> event.getData().get("step"),
                            event -> event.getData().get("count"))
                    .containsExactly(tuple("BULK_BEGIN", 5L), tuple("BULK_END", 5L));
        }
    }

    @Test
    void planOfAnotherInstanceIsAnUnknownTokenAndStartsNothing(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE);
                WebApplication another = WebApplication.start(RoleHeader.class, redis, EXPOSED, WRITABLE)) {
            application.bean(DelayQueueOperations.class).schedule("orders", "p", HOUR);
            String token = json(
                            200,
                            post(
                                    application,
                                    Map.of("action", "plan", "operation", "purge-pending", "topic", "orders")))
                    .get("token")
                    .asString();

            for (String action : List.of("start", "stop")) {
                JsonNode refused = json(404, post(another, Map.of("action", action, "token", token)));
                assertThat(refused.get("outcome").asString()).as(action).isEqualTo("unknown_token");
            }
            assertThat(client(application).stats("orders").pending().total()).isOne();
            assertThat(audit(another)).isEmpty();

            json(200, post(application, Map.of("action", "start", "token", token)));
            await().until(() -> client(application).stats("orders").pending().total() == 0);
        }
    }
}
