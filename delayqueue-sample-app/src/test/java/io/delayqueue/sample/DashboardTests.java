package io.delayqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The links that the sample prints answer; the page needs the login that is printed with it. */
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        args = "--demo",
        properties = {
            "sample.demo=false",
            "management.prometheus.metrics.export.enabled=true",
            "delayqueue.command-timeout=20s"
        })
@Tag("slow")
class DashboardTests {

    private static final Pattern LINK = Pattern.compile("(http://localhost:\\d+\\S*) {2,}\\S");
    private static final String LOGIN = "Basic " + Base64.getEncoder().encodeToString("demo:demo".getBytes());

    @LocalServerPort
    int port;

    @Test
    void printedLinksAnswer(CapturedOutput output) throws Exception {
        List<String> links =
                LINK.matcher(output).results().map(match -> match.group(1)).toList();
        assertThat(links).anyMatch(link -> link.endsWith("/delayqueue")).anyMatch(link -> link.endsWith("/prometheus"));
        for (String link : links) {
            // the lateness of deliveries is there after the first one
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(
                            () -> assertThat(get(link, "Authorization", LOGIN).statusCode())
                                    .as(link)
                                    .isEqualTo(200));
        }
    }

    @Test
    void onlyThePageNeedsALogin() throws Exception {
        String url = "http://localhost:" + port;

        assertThat(get(url + "/delayqueue").statusCode()).isEqualTo(401);
        assertThat(get(url + "/orders").statusCode()).isEqualTo(200);
        assertThat(get(url + "/actuator/prometheus").body()).contains("delayqueue_messages");
        HttpResponse<String> page = get(url + "/delayqueue", "Authorization", LOGIN);
        assertThat(page.body()).contains("<html");
        Matcher script = Pattern.compile("src=\"([^\"]+\\.js)\"").matcher(page.body());
        assertThat(script.find()).isTrue();
        assertThat(get(url + script.group(1), "Authorization", LOGIN).statusCode())
                .isEqualTo(200);
    }

    @Test
    void ordersKeepComing() throws Exception {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(get("http://localhost:" + port + "/actuator/prometheus")
                                .body())
                        .containsPattern("delayqueue_accepted_total\\{[^}]*} ([3-9]|\\d\\d+)"));
    }

    private static HttpResponse<String> get(String url, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }
}
