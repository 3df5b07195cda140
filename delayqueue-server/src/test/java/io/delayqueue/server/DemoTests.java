package io.delayqueue.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.callback.CallResult;
import io.delayqueue.gateway.callback.CallbackObserver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The demonstration has a dashboard with something to see, and prints where. */
@ExtendWith(OutputCaptureExtension.class)
class DemoTests {

    private static final Pattern LINK = Pattern.compile("(?:dashboard|Prometheus): (http://\\S+)");

    private static final Pattern CALLBACK_SERIES = Pattern.compile("\\bdelayqueue_callback_\\w+");

    private static ConfigurableApplicationContext server;
    private static List<String> links;

    @BeforeAll
    static void start(CapturedOutput output) {
        server = DelayQueueServer.application()
                .run(
                        "--demo",
                        "--delayqueue.callbacks.hooks.url=https://hooks.example.com/in",
                        "--delayqueue.callbacks.hooks.secrets=whsec_" + "A".repeat(43) + "=",
                        "--server.port=0",
                        "--management.server.port=0",
                        "--logging.level.root=info");
        links = LINK.matcher(output).results().map(match -> match.group(1)).toList();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @Test
    void linksAnswerAndOrdersKeepComing() throws Exception {
        assertThat(links).hasSize(2);
        for (String link : links) {
            assertThat(get(link).statusCode()).as(link).isEqualTo(200);
        }
        DelayQueueClient client = server.getBean(DelayQueueClient.class);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> client.stats(DemoTraffic.TOPIC).totals().accepted() >= 3);
        assertThat(get(links.get(1)).body()).contains("delayqueue_messages{");
    }

    @Test
    void rulesAndGrafanaDashboardNameSeriesOfCallbacksThatExist() throws Exception {
        // counted at their first
        CallbackObserver meters = server.getBean(CallbackObserver.class);
        meters.resultLost("hooks");
        meters.called("hooks", "hooks.example.com", CallResult.SUCCESS, Duration.ofMillis(1));
        String scrape = get(links.get(1)).body();

        for (String file : List.of("prometheus/alerts.yml", "prometheus/alerts-tests.yml", "grafana/dashboard.json")) {
            assertThat(callbackSeries(
                            Files.readString(Path.of("../docs/operations").resolve(file))))
                    .as(file)
                    .isNotEmpty()
                    .isSubsetOf(callbackSeries(scrape));
        }
    }

    private static Set<String> callbackSeries(String text) {
        return CALLBACK_SERIES
                .matcher(text)
                .results()
                .map(match -> match.group())
                .collect(Collectors.toSet());
    }

    private static HttpResponse<String> get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }
}
