package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Text that others chose is shown as text, and keeps the page in its window. */
class HostileTextTests extends BrowserFixture {

    private static final String BASE = BEHIND_PATHS;
    private static final String HOSTILE = "<img/src=x/onerror=alert(1)>";
    private static final String RIGHT_TO_LEFT = "\u202Egnp.exe \u05E9\u05DC\u05D5\u05DD";

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        startBehindPaths(redis);
    }

    @Test
    void hostileTextIsShownAsText(Chromium chromium) {
        byte[] binary = new byte[300];
        new Random(1).nextBytes(binary);
        Map<String, byte[]> payloads = new HashMap<>();
        payloads.put("script", Messages.bytes("<script>alert(1)</script>" + HOSTILE));
        payloads.put("megabyte", Messages.bytes("[" + "\"<b>x\",".repeat(140_000) + "1]"));
        payloads.put("binary", binary);
        payloads.put("rtl", Messages.bytes(RIGHT_TO_LEFT));
        payloads.put(HOSTILE, Messages.bytes("\"" + HOSTILE + "\""));
        payloads.put("a/b%2F..;?#&", Messages.bytes("{}"));
        payloads.forEach((id, payload) -> messages.scheduled(
                HOSTILE, id, payload, Map.of("x-header", HOSTILE + "h".repeat(10_000), "rtl", RIGHT_TO_LEFT)));
        messages.dead(HOSTILE, HOSTILE + " " + RIGHT_TO_LEFT, "dead" + HOSTILE);

        try (Tab tab = chromium.open(dashboard, ColorScheme.LIGHT, 400, 800).visit(BASE)) {
            assertThat(tab.find(AriaRole.LINK, HOSTILE).first()).isVisible();
            tab.visit(BASE + "/topic?topic=" + Dashboard.encoded(HOSTILE));
            assertThat(tab.section("Latest dead letters")).containsText(HOSTILE);
            assertThat(tab.sidewaysScroll()).isZero();
            for (String id : payloads.keySet()) {
                tab.visit(BASE + "/message?topic=" + Dashboard.encoded(HOSTILE) + "&id=" + Dashboard.encoded(id));
                assertThat(tab.page().locator("h1")).hasText(id);
                tab.button("Show payload").click();
                assertThat(tab.section("Payload").locator("pre")).not().isEmpty();
                assertThat(tab.sidewaysScroll()).as(id).isZero();
            }
            assertThat(tab.page().locator("img, main script")).hasCount(0);
        }
    }
}
