package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All views in both themes can be used with a screen reader and a keyboard, and fit a narrow window. */
class AccessibilityTests extends BrowserFixture {

    private static final String BASE = BEHIND_PATHS;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        startBehindPaths(redis);
    }

    @ParameterizedTest
    @EnumSource(
            value = ColorScheme.class,
            names = {"LIGHT", "DARK"})
    void accessibleInBothThemes(ColorScheme colors, Chromium chromium) throws Exception {
        messages.scheduled(topic, "o-", 25);
        messages.dead(topic, "boom", "d-0");
        String late = topic + "-late";
        messages.ready(late, "l-0");
        dashboard.client().pause(late);

        try (AutoCloseable held = messages.inFlight(topic, "m-0");
                Tab tab = chromium.open(dashboard, colors, 400, 800)) {
            for (String view : List.of(
                    "",
                    "/topic?topic=" + topic,
                    "/topic?topic=" + late,
                    "/message?topic=" + topic + "&id=d-0",
                    "/message?topic=" + topic + "&id=o-0",
                    "/activity")) {
                tab.visit(BASE + view);
                assertThat(tab.accessibilityFindings()).as(view).isEmpty();
                assertThat(tab.sidewaysScroll()).as(view).isZero();
            }
            tab.visit(BASE + "/topic?topic=" + topic);
            tab.page().setViewportSize(1280, 900);
            assertThat(tab.accessibilityFindings()).isEmpty();
            tab.button("Purge all").click();
            assertThat(tab.dialog()).containsText("1 dead letter will be deleted.");
            assertThat(tab.accessibilityFindings()).isEmpty();
        }
    }
}
