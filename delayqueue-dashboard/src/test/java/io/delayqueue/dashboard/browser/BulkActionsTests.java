package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Route;
import io.delayqueue.MessageState;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The buttons of the page for many messages at once, and the jobs that they begin. */
class BulkActionsTests extends BrowserFixture {

    private static final String BASE = ALONE;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        startAlone(redis, PATIENT);
    }

    @Test
    void groupOfDeadLettersIsRedrivenAsCounted(Chromium chromium) {
        messages.dead(topic, "no stock for order 1", "s-1");
        messages.dead(topic, "no stock for order 2", "s-2");
        messages.dead(topic, "card declined", "c-1");

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            tab.page()
                    .getByLabel(Pattern.compile("^Redrive those with the error .*no stock for order #$"))
                    .click();
            assertThat(tab.dialog()).containsText("2 dead letters will become due at once");
            assertThat(tab.dialog()).containsText("no stock for order #");
            tab.confirm("Redrive 2 messages", "Redrive of 2 messages in " + topic + " has begun.");

            assertThat(tab.section("Jobs")).containsText("2 of 2");
            assertThat(client.find(topic, "c-1").orElseThrow().state()).isEqualTo(MessageState.DEAD);
            await().atMost(PATIENCE).until(() -> client.stats(topic).pending().ready() == 2);
        }
    }

    @Test
    void groupOfDeadLettersIsPurgedAsCounted(Chromium chromium) {
        messages.dead(topic, "no stock for order 1", "s-1");
        messages.dead(topic, "card declined", "c-1");

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            tab.page()
                    .getByLabel(Pattern.compile("^Purge those with the error .*no stock for order #$"))
                    .click();
            assertThat(tab.dialog()).containsText("1 dead letter will be deleted.");
            tab.confirm("Purge 1 message", "Purge dead letters of 1 message in " + topic + " has begun.");

            await().atMost(PATIENCE).until(() -> client.stats(topic).dead() == 1);
            assertThat(client.find(topic, "c-1")).isPresent();
            tab.button("Dismiss").click();
            assertThat(tab.page().locator(".notice")).hasText("");
        }
    }

    /** As behind a load balancer without sticky sessions. */
    @Test
    void planOfAnotherInstanceIsRefusedAndThePageSaysWhy(Chromium chromium, EmbeddedRedis redis) {
        messages.scheduled(topic, "o-", 2);

        try (Dashboard another = Dashboard.start(redis);
                Tab tab = chromium.open(dashboard).allowing("404").visit(BASE + "/topic?topic=" + topic)) {
            tab.button("Purge pending…").click();
            assertThat(tab.dialog()).containsText("2 pending messages will be deleted");
            tab.page().route("**/api/start", route -> {
                Map<String, String> headers = new HashMap<>(route.request().headers());
                headers.put("sec-fetch-site", "same-origin");
                route.fulfill(new Route.FulfillOptions()
                        .setResponse(route.fetch(new Route.FetchOptions()
                                .setUrl("http://127.0.0.1:" + another.port() + BASE + "/api/start")
                                .setHeaders(headers))));
            });
            tab.button("Purge 2 messages").click();

            assertThat(tab.dialog()).containsText("Not done:");
            assertThat(tab.dialog()).containsText("belongs to another instance; plan again");
            assertThat(client.stats(topic).pending().total()).isEqualTo(2);
            tab.button("Keep as is").click();
            tab.visit(BASE + "/activity");
            assertThat(tab.section("Jobs"))
                    .containsText("Plans and jobs belong to the instance that answers, and end with it.");
        }
    }

    @Test
    void allDeadLettersArePurgedButThoseThatCameLater(Chromium chromium) {
        messages.dead(topic, "boom", "d-0", "d-1", "d-2");

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            tab.button("Purge all").click();
            assertThat(tab.dialog()).containsText("3 dead letters will be deleted. This can’t be undone.");
            messages.dead(topic, "boom", "later");
            tab.confirm("Purge 3 messages", "Purge dead letters of 3 messages in " + topic + " has begun.");

            await().atMost(PATIENCE).until(() -> client.stats(topic).dead() == 1);
            assertThat(client.find(topic, "later")).isPresent();
            tab.visit(BASE + "/activity");
            assertThat(tab.section("Jobs").locator("li").first()).containsText("3 of 3");
            assertThat(tab.section("Latest actions on this instance")).containsText("Purge dead letters job began");
        }
    }

    @Test
    void pendingMessagesArePurged(Chromium chromium) {
        messages.scheduled(topic, "o-", 12);

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            tab.button("Purge pending…").click();
            assertThat(tab.dialog()).containsText("12 pending messages will be deleted without being handled.");
            tab.confirm("Purge 12 messages", "Purge pending of 12 messages in " + topic + " has begun.");
            await().atMost(PATIENCE).until(() -> client.stats(topic).pending().total() == 0);
        }
    }

    @Test
    void jobIsStopped(Chromium chromium) {
        messages.dead(topic, "boom", ids(40));

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            tab.button("Purge all").click();
            tab.dialog().locator("input").fill("nonsense");
            tab.button("Purge 40 messages").click();
            assertThat(tab.dialog()).containsText("Enter a whole number from 1 to 100,000.");
            tab.dialog().locator("input").fill("1");
            tab.confirm("Purge 40 messages", "has begun.");

            tab.button("Stop: Purge dead letters in " + topic).click();
            tab.confirm("Stop job", "The job was stopped after");
            assertThat(tab.section("Jobs")).containsText("stopped");
            assertThat(client.stats(topic).dead()).isPositive();
        }
    }

    @Test
    void jobGoesOnWithoutItsTab(Chromium chromium) {
        // at one a second, more than a busy machine takes to close the tab
        messages.dead(topic, "boom", ids(40));

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            tab.button("Redrive all").click();
            tab.dialog().locator("input").fill("1");
            tab.confirm("Redrive 40 messages", "has begun.");
        }

        assertThat(client.stats(topic).dead()).as("left when the tab closed").isPositive();
        await().atMost(PATIENCE.multipliedBy(2)).until(() -> client.stats(topic).dead() == 0);
        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            assertThat(tab.section("Jobs")).containsText("40 of 40");
        }
    }

    private static String[] ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> "d-" + i).toArray(String[]::new);
    }
}
