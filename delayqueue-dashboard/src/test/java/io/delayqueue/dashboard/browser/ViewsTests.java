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
import io.delayqueue.dashboard.testsupport.ChromiumExtension;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The contents of the page's views, behind a context path and a servlet's path. */
@ExtendWith({ChromiumExtension.class, EmbeddedRedisExtension.class})
@Tag("slow")
class ViewsTests {

    private static final String BASE = "/shop/mvc/ops/queues";
    private static final String HOSTILE = "<img/src=x/onerror=alert(1)>";
    private static final String RIGHT_TO_LEFT = "\u202Egnp.exe \u05E9\u05DC\u05D5\u05DD";

    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static Dashboard dashboard;
    private static Messages messages;

    /** A client knows topics that it has seen, also when Redis has been emptied: so each test has its own. */
    private final String topic = "orders-" + TOPICS.incrementAndGet();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.start(
                redis,
                "server.servlet.context-path=/shop",
                "delayqueue.dashboard.path=/ops/queues",
                "spring.mvc.servlet.path=/mvc",
                "server.forward-headers-strategy=framework");
        messages = new Messages(dashboard.client());
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    @Test
    void overviewHasTheNumbersOfRedis(Chromium chromium) throws Exception {
        messages.scheduled(topic, "o-", 1_203);
        messages.dead(topic, "boom", "d-0", "d-1");
        messages.ready("invoices", "i-0", "i-1", "i-2");
        dashboard.client().pause("invoices");

        try (AutoCloseable held = messages.inFlight("mails", "m-0");
                Tab tab = chromium.open(dashboard).visit(BASE)) {
            Locator topics = tab.section("Topics");

            assertThat(row(topics, topic).getByRole(AriaRole.CELL).nth(1)).hasText("1,203");
            assertThat(row(topics, topic).getByRole(AriaRole.CELL).nth(4)).hasText("2");
            assertThat(row(topics, "invoices").getByRole(AriaRole.CELL).nth(2)).hasText("3");
            assertThat(row(topics, "invoices")).containsText("paused");
            assertThat(row(topics, "mails").getByRole(AriaRole.CELL).nth(3)).hasText("1");
            assertThat(tab.section("Needs attention")).containsText("invoices: Paused, with 3 messages ready.");
            assertThat(tab.page().locator(".tile dd")).containsText(new String[] {"1,203", "3", "1", "2"});
            assertThat(tab.page()).hasTitle("Topics · delayqueue");
        }
    }

    /** Each as Redis tells it; a process that was killed is in KilledInstanceTests. */
    @Test
    void whatNeedsAttentionIsASentenceEach(Chromium chromium) {
        StringRedisTemplate redis = dashboard.context().getBean(StringRedisTemplate.class);
        messages.scheduled(topic, "o-", 3);
        String scheduled = "dq:{" + topic + ":0}:scheduled";
        redis.opsForZSet().add(scheduled, "o-0", 1_000_000);
        redis.opsForZSet().remove(scheduled, "o-1");
        redis.opsForZSet().add("dq:{" + topic + ":0}:leased", "o-1", 1_000_000);
        redis.opsForHash().increment("dq:{" + topic + ":0}:meta", "accepted", 7);

        try (Tab tab = chromium.open(dashboard).visit(BASE)) {
            Locator sentences = tab.section("Needs attention")
                    .locator("li")
                    .filter(new Locator.FilterOptions().setHasText(topic + ":"));
            assertThat(sentences).hasText(new Pattern[] {
                Pattern.compile("1 message overdue, the oldest for .+ d"),
                Pattern.compile("has stopped: its lease ended .+ ago, and no other takes over. 1 message in flight."),
                Pattern.compile("7 messages unaccounted for")
            });

            tab.visit(BASE + "/topic?topic=" + topic);
            assertThat(tab.page().locator(".attention li")).hasCount(3);
        }
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

    @Test
    void searchFindsAnIdInAllTopics(Chromium chromium) {
        messages.scheduled(topic, "n-", 1);
        messages.ready("letters", "n-0");
        messages.ready("parcels", "n-1");

        try (Tab tab = chromium.open(dashboard).visit(BASE)) {
            tab.find(AriaRole.SEARCHBOX, "Find a message by its id").fill("n-0");
            tab.page().keyboard().press("Enter");

            Locator found = tab.section("Found in 2 topics");
            assertThat(row(found, topic)).containsText("Scheduled");
            assertThat(row(found, "letters")).containsText("Ready");
            assertThat(found).containsText("Looked into 3 of 3 topics.");

            row(found, "letters").getByRole(AriaRole.LINK).first().click();
            assertThat(tab.page()).hasURL(Pattern.compile(".*/shop/mvc/ops/queues/message\\?topic=letters&id=n-0"));
            assertThat(tab.page().locator("h1")).isFocused();
            tab.page().goBack();
            assertThat(row(found, topic)).isVisible();
        }
    }

    @Test
    void thousandTopicsArePagedFilteredAndSorted(Chromium chromium) {
        dashboard
                .client()
                .scheduleAll(IntStream.range(0, 1_000)
                        .mapToObj(i -> OutgoingMessage.to(String.format("topic-%04d", i))
                                .id("m")
                                .payload(Messages.bytes("x"))
                                .delay(Duration.ofHours(1))
                                .build())
                        .toList());
        messages.scheduled("topic-0777", "more-", 5);

        try (Tab tab = chromium.open(dashboard).visit(BASE)) {
            Locator topics = tab.section("Topics");
            assertThat(topics).containsText("1 to 50 of 1,000 topics");
            assertThat(topics.locator("tbody tr")).hasCount(50);

            tab.page().mouse().move(0, 0);
            tab.button("Scheduled").click();
            assertThat(topics.locator("tbody tr").first()).containsText("topic-0777");
            tab.button("Next").click();
            assertThat(topics).containsText("51 to 100 of 1,000 topics");
            tab.button("Previous").click();
            assertThat(topics).containsText("1 to 50 of 1,000 topics");

            tab.find(AriaRole.SEARCHBOX, "Filter topics by name").fill("0999");
            assertThat(topics.locator("tbody tr")).hasCount(1);
            assertThat(topics).containsText("1 to 1 of 1 that match, 1,000 topics in all");
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
