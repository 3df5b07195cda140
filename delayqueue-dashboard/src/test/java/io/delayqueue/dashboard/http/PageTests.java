package io.delayqueue.dashboard.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Dashboard.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The page and its files, behind a context path. */
@ExtendWith(EmbeddedRedisExtension.class)
class PageTests {

    private static Dashboard dashboard;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.withBeans(
                Breakable.class,
                redis,
                "server.servlet.context-path=/shop",
                "server.forward-headers-strategy=framework");
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/topic?topic=a%2F..%3Bb",
                "/message?topic=a&id=%3Cscript%3E",
                "/search?id=a",
                "/activity"
            })
    void viewsAreOnePage(String path) throws Exception {
        Reply page = dashboard.get("/shop/delayqueue" + path);

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
        assertThat(page.text())
                .contains(
                        "data-base=\"/shop/delayqueue\"",
                        "data-rights=\"VIEW PAYLOAD OPERATE PURGE\"",
                        "data-write-enabled=\"true\"")
                .doesNotContain("${", "<script>");
    }

    @Test
    void filesMayBeKeptForEverByTheirHash() throws Exception {
        Matcher script = Pattern.compile("\"(/shop/delayqueue/assets/[0-9a-f]{16}/)app\\.js\"")
                .matcher(dashboard.get("/shop/delayqueue").text());
        assertThat(script.find()).isTrue();

        Reply file = dashboard.get(script.group(1) + "app.js");

        assertThat(file.status()).isEqualTo(200);
        assertThat(file.header("Content-Type")).startsWith("text/javascript");
        assertThat(file.header("Cache-Control")).contains("max-age=31536000", "immutable");
        assertThat(dashboard.get(script.group(1) + "none.js").status()).isEqualTo(404);
        assertThat(dashboard.get(script.group(1) + "../index.html").status()).isIn(400, 404);
        assertThat(dashboard
                        .get("/shop/delayqueue/assets/0123456789abcdef/app.js")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void prefixOfAProxyIsUsed() throws Exception {
        assertThat(dashboard
                        .get("/shop/delayqueue", "X-Forwarded-Prefix", "/proxy/x")
                        .text())
                .contains("data-base=\"/proxy/x/delayqueue\"", "src=\"/proxy/x/delayqueue/assets/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"//evil.example", "/\"><script>", "/a?b"})
    void prefixThatIsNoPathIsNotUsed(String prefix) throws Exception {
        assertThat(dashboard
                        .get("/shop/delayqueue", "X-Forwarded-Prefix", prefix)
                        .text())
                .doesNotContain("//evil", "<script>", "data-base=\"/a?b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/topic", "/assets/none.js", "/api/none"})
    void answersHaveTheHeaders(String path) throws Exception {
        Reply answer = dashboard.get("/shop/delayqueue" + path);

        assertThat(answer.header("Content-Security-Policy"))
                .startsWith("default-src 'none'; script-src 'self'")
                .contains("require-trusted-types-for 'script'", "frame-ancestors 'none'");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    }

    /** In the dashboard, and before any of it runs. */
    @ParameterizedTest
    @ValueSource(strings = {"user", "filter"})
    void failedRequestsHaveTheHeaders(String place) throws Exception {
        Reply failed = dashboard.get("/shop/delayqueue/api/overview", Breakable.HEADER, place);

        assertThat(failed.status()).isEqualTo(500);
        assertThat(failed.text()).doesNotContain("secret");
        assertThat(failed.header("Content-Security-Policy")).startsWith("default-src 'none';");
        assertThat(failed.header("X-Content-Type-Options")).isEqualTo("nosniff");
    }

    /** Requests that name it fail. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Breakable {

        static final String HEADER = "X-Break";

        @Bean
        Filter breaking() {
            return (request, response, chain) -> {
                String place = String.valueOf(((HttpServletRequest) request).getHeader(HEADER));
                if (place.equals("filter") && request.getDispatcherType() == DispatcherType.REQUEST) {
                    throw new IllegalStateException("secret");
                }
                chain.doFilter(place.equals("user") ? withoutUser((HttpServletRequest) request) : request, response);
            };
        }

        private static HttpServletRequest withoutUser(HttpServletRequest request) {
            return new HttpServletRequestWrapper(request) {
                @Override
                public Principal getUserPrincipal() {
                    throw new IllegalStateException("secret");
                }
            };
        }
    }
}
