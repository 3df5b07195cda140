package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.ChromiumExtension;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How the page follows what happens. */
@ExtendWith({ChromiumExtension.class, EmbeddedRedisExtension.class})
@Tag("slow")
class LiveTests {

    private static final String BASE = "/delayqueue";

    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static Dashboard dashboard;
    private static Messages messages;

    /** A client knows topics that it has seen, also when Redis has been emptied: so each test has its own. */
    private final String topic = "orders-" + TOPICS.incrementAndGet();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.start(redis, "delayqueue.command-timeout=20s");
        messages = new Messages(dashboard.client());
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    @Test
    void refreshMovesNothingWhileSomebodyReads(Chromium chromium) {
        messages.scheduled(topic, "o-", 3);

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            Locator pending = tab.section("Next messages");
            Locator rows = pending.locator("tbody tr");
            tab.find(AriaRole.LINK, "o-1").focus();

            dashboard
                    .client()
                    .scheduleAll(List.of(OutgoingMessage.to(topic)
                            .id("first")
                            .payload(Messages.bytes("x"))
                            .delay(Duration.ofMinutes(1))
                            .build()));
            dashboard.client().cancel(topic, "o-2");

            assertThat(tab.button("1 new: show")).isVisible();
            assertThat(tab.find(AriaRole.LINK, "o-1")).isFocused();
            assertThat(rows).hasText(new Pattern[] {
                Pattern.compile("^o-0"), Pattern.compile("^o-1"), Pattern.compile("^o-2gone")
            });

            tab.button("1 new: show").click();
            assertThat(rows.first()).containsText("first");
            assertThat(rows).hasCount(3);
        }
    }

    @Test
    void rowsThatLeaveMakeRoomForOthers(Chromium chromium) {
        messages.scheduled(topic, "o-", 30);

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            Locator rows = tab.section("Next messages").locator("tbody tr");
            assertThat(rows).hasCount(20);

            IntStream.range(0, 5).forEach(i -> dashboard.client().cancel(topic, "o-" + i));

            assertThat(rows)
                    .hasText(IntStream.range(5, 25)
                            .mapToObj(i -> Pattern.compile("^o-" + i + "Scheduled"))
                            .toArray(Pattern[]::new));
        }
    }

    /** On a page that is too short to be scrolled, when what is above the row grows, and when it shrinks again. */
    @Test
    void refreshMovesNothingUnderThePointer(Chromium chromium) {
        messages.scheduled(topic, "o-", 1);
        String late = topic + "-late";

        try (Tab tab = chromium.open(dashboard).visit(BASE)) {
            Locator row = tab.find(AriaRole.LINK, topic).last();
            row.hover();
            double before = row.boundingBox().y;

            messages.ready(late, "l-0");
            dashboard.client().pause(late);
            assertThat(tab.section("Needs attention")).containsText(late + ": Paused");
            assertThat(row.boundingBox().y).isCloseTo(before, within(1.0));

            dashboard.client().resume(late);
            dashboard.client().cancel(late, "l-0");
            assertThat(tab.section("Needs attention")).not().containsText(late);
            assertThat(row.boundingBox().y).isCloseTo(before, within(1.0));
        }
    }

    @Test
    void refreshClosesNoQuestionAndKeepsWhatWasTyped(Chromium chromium) {
        messages.scheduled(topic, "o-", 1);

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/message?topic=" + topic + "&id=o-0")) {
            tab.button("Reschedule…").click();
            tab.dialog().locator("input").fill("2031-05-06T07:08:09");
            String before = tab.page().locator(".as-of").textContent();

            assertThat(tab.page().locator(".as-of")).not().hasText(before);
            assertThat(tab.page().locator(".as-of")).hasClass("as-of fresh");
            assertThat(tab.dialog().locator("input")).hasValue("2031-05-06T07:08:09");
            assertThat(tab.dialog().locator("input")).isFocused();
        }
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

    @Test
    void messageThatIsGoneHasNoButtonsWhileRedisIsAway(Chromium chromium, EmbeddedRedis redis) throws Exception {
        messages.scheduled(topic, "o-", 1);

        try (Tab tab = chromium.open(dashboard)
                .allowing("404")
                .allowing("503")
                .visit(BASE + "/message?topic=" + topic + "&id=o-0")) {
            Locator buttons = tab.page().locator("main .buttons.start button");
            assertThat(buttons).hasCount(4);
            dashboard.client().cancel(topic, "o-0");
            assertThat(buttons).hasCount(0);

            redis.pause();
            try {
                assertThat(tab.page().locator(".trouble")).containsText("Redis did not answer");
                assertThat(buttons).hasCount(0);
            } finally {
                redis.resume();
            }
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

    @Test
    void deadLettersThatGrowAreSaid(Chromium chromium) {
        messages.scheduled(topic, "o-", 1);

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic)) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> !dashboard
                            .get(BASE + "/api/topic?topic=" + topic)
                            .json()
                            .path("history")
                            .path("lateness")
                            .isEmpty());
            messages.dead(topic, "boom", "d-0", "d-1");

            assertThat(tab.page().locator(".attention")).containsText("2 new dead letters in the last");
            tab.visit(BASE);
            assertThat(tab.section("Needs attention")).containsText(topic + ": 2 new dead letters in the last");
        }
    }

    @Test
    void redisThatIsAwayIsSaidAndTheNumbersStay(Chromium chromium, EmbeddedRedis redis) throws Exception {
        messages.scheduled(topic, "o-", 7);

        try (Tab tab = chromium.open(dashboard).allowing("503").visit(BASE + "/topic?topic=" + topic)) {
            redis.pause();
            assertThat(tab.page().locator(".trouble")).containsText("Redis did not answer, so these numbers are old.");
            assertThat(tab.page().locator(".tile.scheduled dd")).containsText("7");
            assertThat(tab.page().locator(".as-of")).containsText("As of ");

            redis.resume();
            assertThat(tab.page().locator(".as-of.fresh")).isVisible();
            assertThat(tab.page().locator(".trouble")).isEmpty();
        }
    }

    @Test
    void serverThatIsAwayIsSaidAndTheNumbersStay(Chromium chromium) {
        messages.scheduled(topic, "o-", 7);

        try (Tab tab =
                chromium.open(dashboard).allowing("ERR_INTERNET_DISCONNECTED").visit(BASE + "/topic?topic=" + topic)) {
            tab.context().setOffline(true);
            assertThat(tab.page().locator(".trouble")).containsText("The server can’t be reached");
            assertThat(tab.page().locator(".tile.scheduled dd")).containsText("7");

            tab.context().setOffline(false);
            assertThat(tab.page().locator(".trouble")).isEmpty();
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
