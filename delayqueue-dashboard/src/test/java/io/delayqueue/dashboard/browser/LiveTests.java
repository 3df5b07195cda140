package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How the page follows what happens, and what it says when it can't. */
class LiveTests extends BrowserFixture {

    private static final String BASE = ALONE;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        startAlone(redis, PATIENT);
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
    void messageThatIsGoneHasNoButtonsWhileRedisIsDown(Chromium chromium, EmbeddedRedis redis) throws Exception {
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
                assertThat(tab.page().locator(".failure")).containsText("Redis did not answer");
                assertThat(buttons).hasCount(0);
            } finally {
                redis.resume();
            }
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
    void redisThatIsDownIsShownAndTheNumbersStay(Chromium chromium, EmbeddedRedis redis) throws Exception {
        messages.scheduled(topic, "o-", 7);

        try (Tab tab = chromium.open(dashboard).allowing("503").visit(BASE + "/topic?topic=" + topic)) {
            redis.pause();
            assertThat(tab.page().locator(".failure")).containsText("Redis did not answer, so these numbers are old.");
            assertThat(tab.page().locator(".tile.scheduled dd")).containsText("7");
            assertThat(tab.page().locator(".as-of")).containsText("As of ");

            redis.resume();
            assertThat(tab.page().locator(".as-of.fresh")).isVisible();
            assertThat(tab.page().locator(".failure")).isEmpty();
        }
    }

    @Test
    void serverThatIsDownIsShownAndTheNumbersStay(Chromium chromium) {
        messages.scheduled(topic, "o-", 7);

        try (Tab tab =
                chromium.open(dashboard).allowing("ERR_INTERNET_DISCONNECTED").visit(BASE + "/topic?topic=" + topic)) {
            tab.context().setOffline(true);
            assertThat(tab.page().locator(".failure")).containsText("The server can’t be reached");
            assertThat(tab.page().locator(".tile.scheduled dd")).containsText("7");

            tab.context().setOffline(false);
            assertThat(tab.page().locator(".failure")).isEmpty();
        }
    }
}
