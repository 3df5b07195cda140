package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How often the page asks, by a clock that the test moves. */
class PollingTests extends BrowserFixture {

    private static final String BASE = ALONE;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        startAlone(redis, PATIENT);
    }

    @Test
    void hiddenTabAsksNothing(Chromium chromium) {
        messages.scheduled(topic, "o-", 1);
        AtomicInteger requests = new AtomicInteger();

        try (Tab tab = chromium.open(dashboard)) {
            tab.page().clock().install();
            tab.visit(BASE);
            tab.page().onRequest(request -> requests.incrementAndGet());
            tab.page()
                    .waitForRequest(
                            "**/api/overview**", () -> tab.page().clock().runFor(2_500));

            show(tab, false);
            requests.set(0);
            tab.page().clock().runFor(60_000);
            assertThat(requests).hasValue(0);

            tab.page().waitForRequest("**/api/overview**", () -> show(tab, true));
        }
    }

    @Test
    void refreshOfAViewIsOneRequest(Chromium chromium) {
        messages.scheduled(topic, "o-", 3);
        List<String> requests = new CopyOnWriteArrayList<>();

        try (Tab tab = chromium.open(dashboard)) {
            visitAndStopClock(tab, "/topic?topic=" + topic);
            tab.page().onRequest(request -> requests.add(request.url()));

            tab.page()
                    .waitForResponse("**/api/topic**", () -> tab.page().clock().runFor(2_100));

            assertThat(requests).singleElement().asString().contains("/api/topic?");
        }
    }

    /** The page says so. */
    @Test
    void messageThatIsGoneIsAskedForEveryTenSeconds(Chromium chromium) {
        messages.scheduled(topic, "o-", 1);
        AtomicInteger requests = new AtomicInteger();

        String view = "/message?topic=" + topic + "&id=o-0";

        try (Tab tab = chromium.open(dashboard).allowing("404")) {
            visitAndStopClock(tab, view);
            dashboard.client().cancel(topic, "o-0");
            awaitStatus(404, view);
            tab.page().clock().runFor(2_100);
            assertThat(tab.page().locator("main")).containsText("The page looks for it every 10 seconds.");
            tab.page().onRequest(request -> requests.incrementAndGet());
            tab.page().clock().runFor(9_000);
            assertThat(requests).hasValue(0);

            messages.scheduled(topic, "o-", 1);
            awaitStatus(200, view);
            tab.page().clock().runFor(1_100);
            assertThat(tab.page().locator(".page-head")).containsText("Scheduled");
            assertThat(tab.page().locator("main")).not().containsText("has left Redis");
            requests.set(0);
            tab.page()
                    .waitForRequest("**/api/message**", () -> tab.page().clock().runFor(2_100));
            assertThat(requests).hasValue(1);
        }
    }

    /** The page says so, and shows what it saw last, until the topic is there again. */
    @Test
    void topicThatIsDeletedHasNoButtonsUntilItIsBack(Chromium chromium) {
        messages.scheduled(topic, "o-", 3);
        String view = "/topic?topic=" + topic;

        try (Tab tab = chromium.open(dashboard).allowing("404")) {
            visitAndStopClock(tab, view);
            assertThat(tab.button("Pause")).isVisible();
            assertThat(tab.button("Purge pending…")).isVisible();

            IntStream.range(0, 3).forEach(i -> dashboard.client().cancel(topic, "o-" + i));
            dashboard.client().deleteTopic(topic);
            awaitStatus(404, view);
            tab.page().clock().runFor(2_100);
            assertThat(tab.page().locator(".banner")).containsText("The topic has left Redis");
            assertThat(tab.button("Pause")).hasCount(0);
            assertThat(tab.button("Purge pending…")).hasCount(0);
            assertThat(tab.page().locator(".tile.scheduled dd")).containsText("3");

            messages.scheduled(topic, "o-", 2);
            awaitStatus(200, view);
            tab.page().clock().runFor(10_100);
            assertThat(tab.page().locator(".tile.scheduled dd")).containsText("2");
            assertThat(tab.page().locator(".banner")).hasCount(0);
            assertThat(tab.button("Pause")).isVisible();
        }
    }

    /** Stops the page's clock once it has refreshed the view, so that {@code runFor} alone makes it ask again. */
    private static void visitAndStopClock(Tab tab, String view) {
        tab.page().clock().install();
        tab.visit(BASE + view);
        Locator asOf = tab.page().locator(".as-of time");
        String before = asOf.getAttribute("datetime");
        tab.page().waitForResponse("**/api/**", () -> {
            long now = ((Number) tab.page().evaluate("Date.now()")).longValue();
            tab.page().clock().pauseAt(now + 2_500);
        });
        assertThat(asOf).not().hasAttribute("datetime", before);
    }

    /** Viewers share an answer for a second. */
    private static void awaitStatus(int status, String view) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> dashboard.get(BASE + "/api" + view).status() == status);
    }

    private static void show(Tab tab, boolean visible) {
        tab.page().evaluate("""
                hidden => {
                    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
                    document.dispatchEvent(new Event('visibilitychange'));
                }""", !visible);
    }
}
