package io.delayqueue.gateway.http.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.core.StringRedisTemplate;

@ExtendWith(EmbeddedRedisExtension.class)
class JournalApiTests {

    private static Gateway gateway;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(
                redis,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:gateway",
                "delayqueue.journal.restore.mode=report");
    }

    @AfterAll
    static void close() {
        gateway.close();
    }

    private static void schedule(String topic, String id) {
        gateway.context()
                .getBean(DelayQueueOperations.class)
                .message(topic, "payload")
                .id(id)
                .delay(Duration.ofHours(1))
                .schedule();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> gateway.client().find(topic, id).isPresent());
    }

    @Test
    void storyTellsWhatBecameOfAnId() throws Exception {
        schedule("stories", "a/b");
        gateway.awaitRecorded("stories");
        assertThat(gateway.send("DELETE", "/topics/stories/messages?id=a%2Fb").status())
                .isEqualTo(204);

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            Reply story = gateway.send("GET", "/topics/stories/story?id=a%2Fb");
            assertThat(story.status()).as("%s", story).isEqualTo(200);
            assertThat(story.json().at("/messages/0/status").stringValue()).isEqualTo("cancelled");
            assertThat(story.json().at("/messages/0/events").size()).isGreaterThan(1);
        });
        assertThat(gateway.send("GET", "/topics/stories/messages/unknown/story").status())
                .isEqualTo(404);
    }

    @Test
    @Tag("slow")
    void messageThatRedisLostIsRestored() throws Exception {
        schedule("lost", "o1");
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(gateway.send("GET", "/topics/lost/messages/o1/story")
                                .json()
                                .at("/messages/0/status")
                                .stringValue())
                        .isEqualTo("scheduled"));
        loseAll("lost");

        Reply looked = gateway.send("POST", "/topics/lost/restore?dryRun=true");
        assertThat(looked.json().at("/differences/only_in_journal").longValue()).isEqualTo(1);
        assertThat(gateway.client().find("lost", "o1")).isEmpty();
        Reply overdue = gateway.send("POST", "/topics/lost/restore?overdue=true");
        assertThat(overdue.json().get("restored").longValue()).isZero();
        Reply restored = gateway.send("POST", "/topics/lost/messages/o1/restore");
        assertThat(restored.status()).as("%s", restored).isEqualTo(200);
        assertThat(restored.json().get("restored").longValue()).isEqualTo(1);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> gateway.client().find("lost", "o1").isPresent());
    }

    @Test
    @Tag("slow")
    void overdueMessagesAreRestoredFirstAndOthersByAWholeRestore() throws Exception {
        for (String message : List.of("'id': 'due', 'delay': 1", "'id': 'later', 'delay': 3600")) {
            assertThat(gateway.send(
                                    "POST",
                                    "/topics/partly/messages",
                                    "{" + message.replace('\'', '"') + ", \"payload\": 1}")
                            .status())
                    .isEqualTo(201);
        }
        await().atMost(Duration.ofSeconds(30))
                .until(() -> gateway.client().stats("partly").pending().ready() == 1
                        && isScheduled("due")
                        && isScheduled("later"));
        loseAll("partly");

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            Reply overdue = gateway.send("POST", "/topics/partly/restore?overdue=true");
            assertThat(overdue.json().get("restored").longValue())
                    .as("%s", overdue)
                    .isEqualTo(1);
        });
        await().atMost(Duration.ofSeconds(30))
                .until(() -> gateway.client().find("partly", "due").isPresent());
        assertThat(gateway.client().find("partly", "later")).isEmpty();
        Reply all = gateway.send("POST", "/topics/partly/restore");
        assertThat(all.json().get("restored").longValue()).as("%s", all).isEqualTo(1);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> gateway.client().find("partly", "later").isPresent());
    }

    private static boolean isScheduled(String id) throws Exception {
        return "scheduled"
                .equals(gateway.send("GET", "/topics/partly/messages/" + id + "/story")
                        .json()
                        .at("/messages/0/status")
                        .stringValue());
    }

    @Test
    void messageOfTheApiIsInTheJournal() throws Exception {
        Reply scheduled =
                gateway.send("POST", "/topics/api/messages", "{\"id\": \"a\", \"delay\": 600, \"payload\": 1}");
        assertThat(scheduled.status()).as("%s", scheduled).isEqualTo(201);
        // until Redis has the first one, the database takes a second one
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(gateway.send("POST", "/topics/api/messages", "{\"id\": \"a\", \"payload\": 2}")
                                        .status())
                                .isEqualTo(409));
        gateway.awaitRecorded("api");
        Reply moved = gateway.send("PATCH", "/topics/api/messages/a", "{\"delay\": 900}");
        assertThat(moved.status()).as("%s", moved).isEqualTo(200);

        Reply story = gateway.send("GET", "/topics/api/messages/a/story");
        assertThat(story.json().at("/messages/0/created").isString())
                .as("%s", story)
                .isTrue();
    }

    /** The second may come while the first is being recorded. */
    @Test
    void twoChangesInARowBothTakeEffect() throws Exception {
        for (int i = 0; i < 10; i++) {
            String path = "/topics/row/messages/m" + i;
            String body = "{\"id\": \"m" + i + "\", \"delay\": 600, \"payload\": 1}";
            assertThat(gateway.send("POST", "/topics/row/messages", body).status())
                    .isEqualTo(201);

            assertThat(gateway.send("PATCH", path, "{\"delay\": 900}").status()).isIn(200, 202);
            assertThat(gateway.send("DELETE", path).status()).isIn(204, 202);
        }
        gateway.awaitRecorded("row");

        for (int i = 0; i < 10; i++) {
            assertThat(gateway.client().find("row", "m" + i)).isEmpty();
            String story = "/topics/row/messages/m" + i + "/story";
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                Reply reply = gateway.send("GET", story);
                assertThat(reply.status()).as("%s", reply).isEqualTo(200);
                // the reschedule may have come before the message was known, and stand alone
                assertThat(reply.toString()).contains("\"status\":\"cancelled\"");
            });
        }
    }

    @Test
    void parametersAreChecked() throws Exception {
        assertThat(gateway.send("POST", "/topics/lost/restore?overdue=maybe")
                        .json()
                        .get("field")
                        .stringValue())
                .isEqualTo("overdue");
        assertThat(gateway.send("POST", "/topics/lost/restore?overdue=true&id=a")
                        .status())
                .isEqualTo(400);
        assertThat(gateway.send("GET", "/topics/lost/story").status()).isEqualTo(400);
    }

    private static void loseAll(String topic) {
        StringRedisTemplate redis = gateway.data();
        redis.delete(redis.keys("dq:{" + topic + "*"));
    }
}
