package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The overview of all topics, and the search, behind a context path and a servlet's path. */
class OverviewTests extends BrowserFixture {

    private static final String BASE = BEHIND_PATHS;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        startBehindPaths(redis);
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

    private static Locator row(Locator section, String text) {
        return section.locator("tbody tr").filter(new Locator.FilterOptions().setHasText(text));
    }
}
