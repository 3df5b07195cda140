package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The views of a topic and of a message, and all views in both themes, behind a context path and a servlet's path. */
class ViewsTests extends BrowserFixture {

    private static final String BASE = BEHIND_PATHS;
    private static final String HOSTILE = "<img/src=x/onerror=alert(1)>";
    private static final String RIGHT_TO_LEFT = "\u202Egnp.exe \u05E9\u05DC\u05D5\u05DD";

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        startBehindPaths(redis);
    }

    @Test
    void topicHasWhatRedisHas(Chromium chromium) throws Exception {
        messages.dead(topic, "no stock for order 4711", "d-1");
        messages.dead(topic, "no stock for order 4712", "d-2");
        messages.dead(topic, "card declined", "d-3");
        messages.scheduled(topic, "o-", 30);

        try (AutoCloseable held = messages.inFlight(topic, "m-0");
                Tab tab = chromium.open(dashboard).visit(BASE + "/topic?topic=" + topic + "&span=day")) {
            assertThat(tab.page().locator(".tile dd")).containsText(new String[] {"30", "0", "1", "3"});
            assertThat(row(tab.section("Dead letters by error"), "no stock for order #")
                            .getByRole(AriaRole.CELL)
                            .first())
                    .hasText("2");
            assertThat(tab.section("Dead letters by error")).containsText("All 3 dead letters were examined.");
            assertThat(row(tab.section("Latest dead letters"), "card declined")).containsText("d-3");
            assertThat(tab.section("Next messages").getByRole(AriaRole.LINK)).hasCount(20);
            assertThat(row(tab.section("In flight"), "m-0")).isVisible();
            assertThat(tab.section("Upcoming load")).containsText("Highest bar: 30. Overdue: 0. Later than shown: 0.");

            tab.section("Next messages").getByText("Next page").click();
            assertThat(tab.section("Next messages").getByRole(AriaRole.LINK)).hasCount(10);
            tab.page().reload();
            assertThat(tab.section("Next messages").getByRole(AriaRole.LINK)).hasCount(10);
            assertThat(tab.button("Next day")).hasAttribute("aria-pressed", "true");

            tab.section("Next messages").getByText("First page").click();
            assertThat(tab.section("Next messages").getByRole(AriaRole.LINK)).hasCount(20);
            tab.button("Next month").click();
            assertThat(tab.button("Next month")).hasAttribute("aria-pressed", "true");
            assertThat(tab.section("Upcoming load")).containsText("Highest bar: 30.");
            tab.button("Next hour").click();
            assertThat(tab.button("Next hour")).hasAttribute("aria-pressed", "true");
        }
    }

    @Test
    void payloadComesOnClickWithItsNumbersAsTheyWere(Chromium chromium) throws Exception {
        String payload = "{\"big\":12345678901234567890123,\"price\":1.10,\"tiny\":1e-400}";
        schedule(topic, "o-1", Messages.bytes(payload), Map.of("tenant", "blue"));

        try (Tab tab = chromium.open(dashboard).visit(BASE + "/message?topic=" + topic + "&id=o-1")) {
            assertThat(tab.section("Headers")).containsText("tenant");
            assertThat(tab.section("Headers")).containsText("blue");
            assertThat(tab.section("Payload")).not().containsText("12345678901234567890123");

            tab.button("Show payload").click();

            assertThat(tab.section("Payload").locator("pre"))
                    .containsText(Pattern.compile("12345678901234567890123,[\\s\\S]*1[.]10,[\\s\\S]*1[eE]-400"));
            Download raw = tab.page()
                    .waitForDownload(() ->
                            tab.section("Payload").getByText("Download raw").click());
            try (InputStream bytes = raw.createReadStream()) {
                assertThat(new String(bytes.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo(payload);
            }
        }
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
        payloads.forEach((id, payload) ->
                schedule(HOSTILE, id, payload, Map.of("x-header", HOSTILE + "h".repeat(10_000), "rtl", RIGHT_TO_LEFT)));
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

    /** A proxy that takes a prefix off, and tells it. */
    @Test
    void worksBehindAProxyWithAPrefix(Chromium chromium) {
        messages.scheduled(topic, "o-", 1);

        try (Tab tab = chromium.open(dashboard)) {
            tab.page().route(Pattern.compile("/proxy/x/"), route -> {
                Map<String, String> headers = new HashMap<>(route.request().headers());
                headers.put("x-forwarded-prefix", "/proxy/x");
                route.fulfill(new Route.FulfillOptions()
                        .setResponse(route.fetch(new Route.FetchOptions()
                                .setUrl(route.request().url().replace("/proxy/x/", "/shop/"))
                                .setHeaders(headers))));
            });
            tab.visit("/proxy/x/mvc/ops/queues");
            tab.find(AriaRole.LINK, topic).click();
            tab.find(AriaRole.LINK, "o-0").click();

            assertThat(tab.page())
                    .hasURL(Pattern.compile(".*/proxy/x/mvc/ops/queues/message\\?topic=" + topic + "&id=o-0"));
            assertThat(tab.page().locator("h1")).hasText("o-0");
            assertThat(tab.section("Facts")).isVisible();
        }
    }

    @Test
    void messageThatIsNotThereIsSaid(Chromium chromium) {
        messages.scheduled(topic, "o-", 1);

        try (Tab tab = chromium.open(dashboard).allowing("404")) {
            tab.visit(BASE + "/message?topic=" + topic + "&id=o-0");
            dashboard.client().cancel(topic, "o-0");
            assertThat(tab.page().locator("main"))
                    .containsText("The message has left Redis since this page was opened.");
        }
    }

    private static Locator row(Locator section, String text) {
        return section.locator("tbody tr").filter(new Locator.FilterOptions().setHasText(text));
    }

    private static void schedule(String topic, String id, byte[] payload, Map<String, String> headers) {
        OutgoingMessage.Builder message =
                OutgoingMessage.to(topic).id(id).payload(payload).delay(Duration.ofHours(1));
        headers.forEach(message::header);
        dashboard.client().scheduleAll(List.of(message.build()));
    }
}
