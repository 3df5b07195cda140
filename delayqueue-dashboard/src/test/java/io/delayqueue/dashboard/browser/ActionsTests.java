package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.delayqueue.MessageState;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The buttons of the page for a topic and for single messages, and their effects in Redis. */
class ActionsTests extends BrowserFixture {

    private static final String BASE = ALONE;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        startAlone(redis);
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
