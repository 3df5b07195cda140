package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The views of a topic and of a message, behind a context path and a servlet's path. */
class ViewsTests extends BrowserFixture {

    private static final String BASE = BEHIND_PATHS;

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
        messages.scheduled(topic, "o-1", Messages.bytes(payload), Map.of("tenant", "blue"));

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
}
