package io.delayqueue.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The demonstration has a dashboard with something to see, and prints where. */
@ExtendWith(OutputCaptureExtension.class)
class DemoTests {

    private static final Pattern LINK = Pattern.compile("(?:dashboard|Prometheus): (http://\\S+)");

    @Test
    void linksAnswerAndOrdersKeepComing(CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext server = DelayQueueServer.application()
                .run("--demo", "--server.port=0", "--management.server.port=0", "--logging.level.root=info")) {
            List<String> links =
                    LINK.matcher(output).results().map(match -> match.group(1)).toList();
            assertThat(links).hasSize(2);
            for (String link : links) {
                assertThat(get(link).statusCode()).as(link).isEqualTo(200);
            }
            DelayQueueClient client = server.getBean(DelayQueueClient.class);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> client.stats(DemoTraffic.TOPIC).totals().accepted() >= 3);
            assertThat(get(links.get(1)).body()).contains("delayqueue_messages{");
        }
    }

    private static HttpResponse<String> get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }
}
