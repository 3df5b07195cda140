package io.delayqueue.spring.actuate;

import static io.delayqueue.spring.actuate.EndpointHttp.EXPOSED;
import static io.delayqueue.spring.actuate.EndpointHttp.HOSTILE_ID;
import static io.delayqueue.spring.actuate.EndpointHttp.HOSTILE_TOPIC;
import static io.delayqueue.spring.actuate.EndpointHttp.HOUR;
import static io.delayqueue.spring.actuate.EndpointHttp.PATH;
import static io.delayqueue.spring.actuate.EndpointHttp.encoded;
import static io.delayqueue.spring.actuate.EndpointHttp.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.WebApplication;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** The endpoint's views of a topic over real HTTP. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class EndpointViewsHttpTests {

    @Test
    void pagesOfPendingMessagesGoOnWhereTheLastOneEnded(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED)) {
            for (int i = 0; i < 5; i++) {
                application
                        .bean(DelayQueueOperations.class)
                        .message(HOSTILE_TOPIC, "p")
                        .id(HOSTILE_ID + i)
                        .delay(HOUR)
                        .schedule();
            }
            String pages = PATH + "?view=pending&limit=3&topic=" + encoded(HOSTILE_TOPIC);

            JsonNode first = json(200, application.get(pages));
            JsonNode second = json(
                    200,
                    application.get(
                            pages + "&after=" + encoded(first.get("next").asString())));

            assertThat(first.get("messages").findValuesAsString("id"))
                    .containsExactly(HOSTILE_ID + 0, HOSTILE_ID + 1, HOSTILE_ID + 2);
            assertThat(second.get("messages").findValuesAsString("id")).containsExactly(HOSTILE_ID + 3, HOSTILE_ID + 4);
            assertThat(second.has("next")).isFalse();
        }
    }

    @Test
    void loadIsCountedByDueTime(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED)) {
            DelayQueueOperations queue = application.bean(DelayQueueOperations.class);
            queue.schedule("orders", "p", Duration.ZERO);
            queue.schedule("orders", "p", Duration.ofMinutes(90));
            queue.schedule("orders", "p", Duration.ofMinutes(95));
            queue.schedule("orders", "p", Duration.ofDays(9));

            JsonNode load = json(200, application.get(PATH + "?topic=orders&view=load&bucket=1h&buckets=3"));

            assertThat(load.get("overdue").asInt()).isOne();
            assertThat(load.get("due").toString()).isEqualTo("[0,2,0]");
            assertThat(load.get("later").asInt()).isOne();
            assertThat(load.get("bucket").asString()).isEqualTo("PT1H");
            assertThat(json(200, application.get(PATH + "?topic=orders&view=load&buckets=100000"))
                            .get("due")
                            .size())
                    .isEqualTo(98);
        }
    }
}
