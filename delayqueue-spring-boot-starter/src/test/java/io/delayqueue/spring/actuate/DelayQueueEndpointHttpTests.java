package io.delayqueue.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.WebApplication;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The endpoint over real HTTP: names with slashes, and who is shown values. */
@ExtendWith(EmbeddedRedisExtension.class)
class DelayQueueEndpointHttpTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final String EXPOSED = "management.endpoints.web.exposure.include=delayqueue";

    @Test
    void topicsAndIdsWithSlashesAreFound(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED)) {
            DelayQueueOperations queue = application.bean(DelayQueueOperations.class);
            queue.message("orders/eu", "p").id("2026/47 11").delay(HOUR).schedule();
            queue.message("a//b/../c.d;e%f", "p").id("..//x").delay(HOUR).schedule();

            assertThat(get(application, "")).contains("\"orders/eu\"").contains("\"a//b/../c.d;e%f\"");
            assertThat(get(application, "/orders/eu"))
                    .contains("\"scheduled\":1")
                    .contains("\"listeners\":[]");
            assertThat(get(application, "/orders/eu/2026/47%2011"))
                    .contains("\"topic\":\"orders/eu\"")
                    .contains("\"id\":\"2026/47 11\"");
            assertThat(get(application, "?topic=orders/eu")).contains("\"scheduled\":1");
            assertThat(get(application, "?topic=orders%2Feu&id=2026%2F47+11")).contains("\"id\":\"2026/47 11\"");
            assertThat(get(application, "?topic=a//b/../c.d;e%25f")).contains("\"scheduled\":1");
            assertThat(get(application, "?topic=a//b/../c.d;e%25f&id=..//x")).contains("\"id\":\"..//x\"");
            assertThat(status(application, "/orders")).isEqualTo(404);
            assertThat(status(application, "/orders/eu/4712")).isEqualTo(404);
            assertThat(status(application, "?id=4712")).isEqualTo(400);
        }
    }

    @Test
    void valuesAreHiddenByDefault(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(RoleHeader.class, redis, EXPOSED)) {
            deadLetter(application);

            assertThat(get(application, "/work") + get(application, "/work/w-1", RoleHeader.NAME, "operator"))
                    .contains("******")
                    .doesNotContain("secret")
                    .doesNotContain("hush");
        }
    }

    @Test
    void valuesAreShownToUsersInTheRoleAlone(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(
                RoleHeader.class,
                redis,
                EXPOSED,
                "management.endpoint.delayqueue.show-values=when-authorized",
                "management.endpoint.delayqueue.roles=operator")) {
            deadLetter(application);

            assertThat(get(application, "/work")
                            + get(application, "/work/w-1")
                            + get(application, "/work/w-1", RoleHeader.NAME, "guest"))
                    .contains("******")
                    .doesNotContain("secret")
                    .doesNotContain("hush");
            assertThat(get(application, "/work", RoleHeader.NAME, "operator")).contains("can't read secret");
            assertThat(get(application, "?topic=work&id=w-1", RoleHeader.NAME, "operator"))
                    .contains("can't read secret")
                    .contains("\"payload\":\"secret\"")
                    .contains("\"token\":\"hush\"");
        }
    }

    private static void deadLetter(WebApplication application) {
        application
                .bean(DelayQueueOperations.class)
                .message("work", "secret")
                .id("w-1")
                .header("token", "hush")
                .schedule();
        await().until(() ->
                application.bean(DelayQueueClient.class).stats("work").dead() == 1);
    }

    private static String get(WebApplication application, String path, String... headers)
            throws IOException, InterruptedException {
        HttpResponse<String> response = application.get("/actuator/delayqueue" + path, headers);
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return response.body();
    }

    private static int status(WebApplication application, String path) throws IOException, InterruptedException {
        return application.get("/actuator/delayqueue" + path).statusCode();
    }
}
