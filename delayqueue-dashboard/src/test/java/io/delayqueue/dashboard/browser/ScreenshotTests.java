package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.ChromiumExtension;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Pictures of the page in {@code target/screenshots}. With {@code -Dscreenshots.update} those of the documents are taken from
 * there.
 */
@ExtendWith({ChromiumExtension.class, EmbeddedRedisExtension.class})
@Tag("slow")
class ScreenshotTests {

    private static final Path OUTPUT = Path.of("target/screenshots");
    private static final Path DOCUMENTS = Path.of("../docs/images");
    private static final String BASE = "/delayqueue";
    private static final String TOPIC = "/topic?topic=webhooks.retry";

    @Test
    void picturesAreTaken(Chromium chromium, EmbeddedRedis redis) throws Exception {
        Files.createDirectories(OUTPUT);
        try (Dashboard dashboard = Dashboard.start(redis)) {
            Messages messages = new Messages(dashboard.client());
            fill(messages);
            try (Subscription reminders = traffic(dashboard);
                    AutoCloseable held = messages.inFlight("webhooks.retry", "wh-4711", "wh-4712", "wh-4713")) {
                try (Tab tab = chromium.open(dashboard).visit(BASE)) {
                    // the first points of the sparklines
                    assertThat(tab.page()
                                    .locator(".sparkline.rate path:not(.idle)[d*='L']")
                                    .first())
                            .isVisible();
                    take(tab, "overview-desktop.png", false);
                    take(tab.visit(BASE + TOPIC), "topic-desktop.png", false);
                }
                try (Tab tab = chromium.open(dashboard, ColorScheme.DARK, 1280, 900)) {
                    take(tab.visit(BASE), "overview-dark.png", false);
                    take(tab.visit(BASE + TOPIC), "topic-dark.png", false);
                    take(tab.visit(BASE + "/message?topic=webhooks.retry&id=wh-17"), "message-dark.png", true);
                }
                try (Tab tab = chromium.open(dashboard, ColorScheme.LIGHT, 400, 860)) {
                    take(tab.visit(BASE), "overview-phone.png", false);
                    take(tab.visit(BASE + TOPIC), "topic-phone.png", false);
                }
            }
        }
        if (System.getProperty("screenshots.update") != null) {
            Files.createDirectories(DOCUMENTS);
            copy("overview-desktop.png", "dashboard-overview.png");
            copy("topic-dark.png", "dashboard-topic-dark.png");
            copy("topic-phone.png", "dashboard-topic-phone.png");
        }
    }

    private static void fill(Messages messages) {
        Random random = new Random(7);
        for (String topic : List.of("orders.reminder", "trials.expiry", "webhooks.retry", "carts.abandoned")) {
            messages.client()
                    .scheduleAll(IntStream.range(0, 150 + random.nextInt(700))
                            .mapToObj(i -> OutgoingMessage.to(topic)
                                    .id("m-" + i)
                                    .payload(Messages.bytes("{\"order\":" + (4_000 + i) + "}"))
                                    .delay(Duration.ofSeconds(600 + (long) (900 * Math.abs(random.nextGaussian()))))
                                    .build())
                            .toList());
        }
        messages.ready("reports.nightly", "r-1", "r-2", "r-3");
        messages.client().pause("reports.nightly");
        messages.dead(
                "webhooks.retry",
                "connect timed out: https://hooks.example.com/in/17",
                IntStream.range(0, 18).mapToObj(i -> "wh-" + i).toArray(String[]::new));
        messages.dead("webhooks.retry", "the receiver answered 410 Gone", "wh-30", "wh-31");
        messages.dead("orders.reminder", "no order 4711", "o-4711");
    }

    /** Handled messages, so that there is a rate: each one schedules the next. */
    private static Subscription traffic(Dashboard dashboard) {
        Random random = new Random(11);
        Subscription consumer = dashboard
                .client()
                .subscribe(
                        "mails.digest",
                        ConsumerOptions.defaults(),
                        (message, delivery) -> send(dashboard, Duration.ofMillis(20 + random.nextInt(900))));
        consumer.start();
        IntStream.range(0, 40).forEach(i -> send(dashboard, Duration.ofMillis(i * 25L)));
        return consumer;
    }

    private static void send(Dashboard dashboard, Duration delay) {
        dashboard
                .client()
                .scheduleAll(List.of(OutgoingMessage.to("mails.digest")
                        .payload(Messages.bytes("x"))
                        .delay(delay)
                        .build()));
    }

    private static void take(Tab tab, String name, boolean whole) throws IOException {
        tab.page()
                .screenshot(new Page.ScreenshotOptions()
                        .setPath(OUTPUT.resolve(name))
                        .setFullPage(whole));
        assertThat(Files.size(OUTPUT.resolve(name))).as(name).isGreaterThan(10_000);
    }

    private static void copy(String picture, String name) throws IOException {
        Files.copy(OUTPUT.resolve(picture), DOCUMENTS.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
}
