package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageState;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.ChromiumExtension;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The buttons of the page, and their effects in Redis. */
@ExtendWith({ChromiumExtension.class, EmbeddedRedisExtension.class})
@Tag("slow")
class ActionsTests {

    private static final String BASE = "/delayqueue";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static Dashboard dashboard;
    private static DelayQueueClient client;
    private static Messages messages;

    /** A client knows topics that it has seen, also when Redis has been emptied: so each test has its own. */
    private final String topic = "orders-" + TOPICS.incrementAndGet();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.start(redis);
        client = dashboard.client();
        messages = new Messages(client);
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    @Test
    void topicIsPausedAndResumedByTheKeyboardAlone(Chromium chromium) {
        messages.ready(topic, "o-0", "o-1");

        try (Tab tab = chromium.open(dashboard).visit(BASE)) {
            tabTo(tab, tab.find(AriaRole.LINK, topic).last());
            tab.page().keyboard().press("Enter");
            tabTo(tab, tab.button("Pause"));
            tab.page().keyboard().press("Enter");
            assertThat(tab.dialog()).containsText("2 messages are ready now, and 0 scheduled.");
            assertThat(tab.button("Keep as is")).isFocused();
            tab.page().keyboard().press("Tab");
            tab.page().keyboard().press("Enter");
            assertThat(tab.page().locator(".notice")).containsText(topic + " is paused.");
            assertThat(client.stats(topic).paused()).isTrue();

            tabTo(tab, tab.button("Resume"));
            tab.page().keyboard().press("Enter");
            tab.page().keyboard().press("Tab");
            tab.page().keyboard().press("Enter");
            assertThat(tab.page().locator(".notice")).containsText(topic + " is resumed.");
            assertThat(client.stats(topic).paused()).isFalse();
        }
    }

    @Test
    void changeWithoutAnAnswerMayHaveBeenDone(Chromium chromium, EmbeddedRedis redis) {
        messages.scheduled(topic, "o-", 1);

        // 404 if it was done, and the page looks for the message again before it is closed
        try (Tab tab = chromium.open(dashboard).allowing("503").allowing("404").visit(message("o-0"))) {
            tab.button("Cancel message").click();
            redis.pause();
            try {
                tab.dialog().locator("button[type=submit]").click();
                assertThat(tab.dialog())
                        .containsText(
                                "it may have been done",
                                new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE.toMillis()));
                assertThat(tab.dialog()).not().containsText("Not done");
            } finally {
                redis.resume();
            }
        }
    }

    @Test
    void escapeChangesNothingAndGivesTheFocusBack(Chromium chromium) {
        messages.scheduled(topic, "o-", 1);

        try (Tab tab = chromium.open(dashboard).visit(message("o-0"))) {
            tab.button("Cancel message").click();
            assertThat(tab.dialog()).containsText("Cancel o-0?");
            tab.page().keyboard().press("Escape");
            assertThat(tab.dialog()).hasCount(0);
            assertThat(tab.button("Cancel message")).isFocused();

            tab.button("Purge").click();
            tab.button("Keep as is").click();
            assertThat(tab.dialog()).hasCount(0);
            assertThat(client.find(topic, "o-0")).isPresent();
        }
    }

    @Test
    void singleMessagesAreRescheduledRunCancelledAndPurged(Chromium chromium) {
        messages.scheduled(topic, "o-", 4);

        try (Tab tab = chromium.open(dashboard).allowing("404").visit(message("o-0"))) {
            tab.button("Reschedule…").click();
            tab.dialog().locator("input").fill("2031-05-06T07:08:09");
            tab.confirm("Reschedule 1 message", "o-0 was rescheduled.");
            assertThat(client.find(topic, "o-0").orElseThrow().due())
                    .isEqualTo(LocalDateTime.of(2031, 5, 6, 7, 8, 9)
                            .atZone(ZoneId.of("Europe/Berlin"))
                            .toInstant());
            assertThat(tab.section("Facts")).containsText("2031-05-06 07:08:09");
            assertThat(tab.section("Facts")).containsText("2031-05-06 05:08:09 UTC");

            tab.visit(message("o-1")).button("Run now").click();
            tab.confirm("Run 1 message now", "o-1 is due now.");
            assertThat(client.find(topic, "o-1").orElseThrow().state()).isEqualTo(MessageState.READY);

            tab.visit(message("o-2")).button("Cancel message").click();
            tab.confirm("Cancel 1 message", "o-2 was cancelled.");
            assertThat(client.find(topic, "o-2")).isEmpty();

            tab.visit(message("o-3")).button("Purge").click();
            tab.confirm("Purge 1 message", "o-3 was purged.");
            assertThat(client.find(topic, "o-3")).isEmpty();
        }
    }

    @Test
    void singleDeadLettersAreRedrivenAndPurged(Chromium chromium) {
        messages.dead(topic, "boom", "d-0", "d-1");

        try (Tab tab = chromium.open(dashboard).allowing("404").visit(message("d-0"))) {
            assertThat(tab.section("Facts")).containsText("boom");
            tab.button("Redrive").click();
            tab.confirm("Redrive 1 message", "d-0 was redriven.");
            assertThat(client.find(topic, "d-0").orElseThrow().state()).isEqualTo(MessageState.READY);
            assertThat(tab.page().locator(".page-head")).containsText("Ready");

            tab.visit(message("d-1")).button("Purge").click();
            tab.confirm("Purge 1 message", "d-1 was purged.");
            assertThat(client.stats(topic).dead()).isZero();
        }
    }

    @Test
    void messageThatAConsumerHasHasNoButtons(Chromium chromium) throws Exception {
        try (AutoCloseable held = messages.inFlight(topic, "m-0");
                Tab tab = chromium.open(dashboard).visit(message("m-0"))) {
            assertThat(tab.page().locator(".page-head")).containsText("In flight");
            assertThat(tab.page().locator(".buttons")).hasCount(0);
        }
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
        messages.dead(topic, "boom", ids(12));

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            tab.button("Redrive all").click();
            tab.dialog().locator("input").fill("4");
            tab.confirm("Redrive 12 messages", "has begun.");
        }

        assertThat(client.stats(topic).dead()).as("left when the tab closed").isPositive();
        await().atMost(PATIENCE).until(() -> client.stats(topic).dead() == 0);
        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            assertThat(tab.section("Jobs")).containsText("12 of 12");
        }
    }

    @Test
    void readOnlyPageSaysWhyAndHasNoButtons(Chromium chromium, EmbeddedRedis redis) {
        messages.dead(topic, "boom", "d-0");

        try (Dashboard readOnly = Dashboard.start(redis, "delayqueue.dashboard.write-enabled=false");
                Tab tab = chromium.open(readOnly).visit(BASE + "/topic?topic=" + topic)) {
            assertThat(tab.page().locator("main"))
                    .containsText("Read-only: the property delayqueue.dashboard.write-enabled is false.");
            assertThat(tab.section("Dead letters by error")).containsText("boom");
            assertThat(tab.section("Dead letters by error").getByRole(AriaRole.BUTTON))
                    .hasCount(0);
            assertThat(tab.button("Pause")).hasCount(0);
        }
    }

    private String message(String id) {
        return BASE + "/message?topic=" + topic + "&id=" + id;
    }

    private static String[] ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> "d-" + i).toArray(String[]::new);
    }

    /** Presses Tab until this has the focus. */
    private static void tabTo(Tab tab, Locator target) {
        assertThat(target).isVisible();
        for (int i = 0; i < 100; i++) {
            tab.page().keyboard().press("Tab");
            if ((Boolean) target.evaluate("node => node === document.activeElement")) {
                return;
            }
        }
        assertThat(target).isFocused();
    }
}
