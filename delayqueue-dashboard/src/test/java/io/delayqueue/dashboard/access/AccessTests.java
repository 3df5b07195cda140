package io.delayqueue.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Dashboard.Reply;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.spring.operator.Story;
import io.delayqueue.spring.operator.StorySource;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import jakarta.servlet.ServletContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.context.WebApplicationContext;

/** The application's Spring Security tells the users, and their roles are their rights; its protection against other sites is on. */
@ExtendWith(EmbeddedRedisExtension.class)
class AccessTests {

    private static final String API = "/delayqueue/api";
    private static Dashboard dashboard;
    private final String topic = Messages.uniqueTopic();
    private final String message = "?topic=" + topic + "&id=a";

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.secured(Secured.class, redis, "delayqueue.dashboard.write-enabled=true");
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    @BeforeEach
    void schedule() {
        dashboard
                .client()
                .schedule(OutgoingMessage.to(topic)
                        .id("a")
                        .payload("{\"card\": 4711}".getBytes(StandardCharsets.UTF_8))
                        .header("customer", "Ann")
                        .delay(Delay.of(Duration.ofHours(1)))
                        .build());
    }

    private int write(String user, String operation, String more) throws Exception {
        Reply page = dashboard.getAs(user, "/delayqueue");
        String cookie = page.header("Set-Cookie").replaceFirst(";.*", "");
        return dashboard
                .post(
                        API + "/operation",
                        "{\"operation\": \"" + operation + "\", \"topic\": \"" + topic + "\"" + more + "}",
                        "Authorization",
                        Dashboard.basic(user),
                        "Cookie",
                        cookie,
                        attribute(page, "data-csrf-header"),
                        attribute(page, "data-csrf-token"))
                .status();
    }

    static String attribute(Reply page, String name) {
        Matcher attribute = Pattern.compile(name + "=\"([^\"]+)\"").matcher(page.text());
        assertThat(attribute.find()).as(name + " of " + page).isTrue();
        return attribute.group(1);
    }

    @Test
    void withoutAUserNothingIsServed() throws Exception {
        for (String path : List.of(
                "",
                "/topic?topic=orders",
                "/api/overview",
                "/activity",
                "/api/activity",
                "/api/search?id=a",
                "/api/raw" + message)) {
            Reply refused = dashboard.get("/delayqueue" + path);
            assertThat(refused.status()).as(path).isEqualTo(401);
            assertThat(refused.header("Content-Security-Policy")).as(path).startsWith("default-src 'none'");
        }
    }

    @Test
    void userWithoutARoleSeesNothing() throws Exception {
        for (String path : List.of(
                "/api/overview",
                "/api/topic?topic=orders",
                "/api/message" + message,
                "/api/activity",
                "/api/search?id=a",
                "/api/payload" + message,
                "/api/raw" + message)) {
            Reply refused = dashboard.getAs("nobody", "/delayqueue" + path);
            assertThat(refused.status()).as(path).isEqualTo(403);
            assertThat(refused.problem()).as(path).isEqualTo("forbidden");
        }
    }

    @Test
    void userWithoutARoleGetsAPageThatNamesTheRoles() throws Exception {
        for (String path : List.of("", "/topic?topic=" + topic, "/message" + message, "/search?id=a", "/activity")) {
            Reply refused = dashboard.getAs("nobody", "/delayqueue" + path);
            assertThat(refused.status()).as(path).isEqualTo(403);
            assertThat(refused.header("Content-Type")).as(path).startsWith("text/html");
            assertThat(refused.header("Content-Security-Policy")).as(path).startsWith("default-src 'none'");
            assertThat(refused.text())
                    .as(path)
                    .contains(
                            "data-user=\"nobody\"",
                            "data-rights=\"\"",
                            "data-csrf-token=\"\"",
                            "data-missing-roles=\"DELAYQUEUE_VIEWER,DELAYQUEUE_PAYLOAD_VIEWER,DELAYQUEUE_OPERATOR,"
                                    + "DELAYQUEUE_PURGER\"");
        }
        assertThat(dashboard.getAs("viewer", "/delayqueue").text()).contains("data-missing-roles=\"\"");
    }

    @Test
    void requestsThatWriteAreRecognised() {
        assertThat(writes("POST", "/delayqueue/api/operation")).isTrue();
        assertThat(writes("POST", "/delayqueue/api/start")).isTrue();
        assertThat(writes("GET", "/delayqueue/api/overview")).isFalse();
        assertThat(writes("POST", "/delayqueue/v1/topics/orders")).isFalse();
        assertThat(writes("POST", "/orders")).isFalse();
    }

    private static boolean writes(String method, String path) {
        ServletContext servlets = ((WebApplicationContext) dashboard.context()).getServletContext();
        return DashboardRequest.writes().matches(new MockHttpServletRequest(servlets, method, path));
    }

    @Test
    void viewerSeesNoValues() throws Exception {
        Reply shown = dashboard.getAs("viewer", API + "/message" + message);

        assertThat(shown.status()).isEqualTo(200);
        assertThat(shown.text()).doesNotContain("Ann", "4711");
        assertThat(shown.json()
                        .path("message")
                        .path("headers")
                        .path(0)
                        .path("masked")
                        .asBoolean())
                .isTrue();
        assertThat(dashboard.getAs("viewer", API + "/overview").status()).isEqualTo(200);
        assertThat(dashboard.getAs("viewer", API + "/payload" + message).status())
                .isEqualTo(403);
        assertThat(dashboard.getAs("viewer", API + "/raw" + message).status()).isEqualTo(403);
        assertThat(dashboard.getAs("viewer", "/delayqueue").text())
                .contains("data-rights=\"VIEW\"", "data-user=\"viewer\"");
    }

    /** Nor of what others were shown a moment before. */
    @Test
    void viewerSeesNoErrorsOfDeadLetters() throws Exception {
        dashboard
                .client()
                .schedule(OutgoingMessage.to(topic).id("b").payload(new byte[1]).build());
        try (Subscription failing = Messages.failing(dashboard.client(), topic)) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dashboard.client().stats(topic).dead() == 1);
        }
        String view = API + "/topic?topic=" + topic;

        assertThat(dashboard.getAs("reader", view).text()).contains("card 4711 refused", "card # refused");
        assertThat(dashboard.getAs("viewer", view).text()).contains("\"b\"").doesNotContain("card");
        assertThat(dashboard
                        .getAs("viewer", API + "/message?topic=" + topic + "&id=b")
                        .text())
                .contains("\"DEAD\"")
                .doesNotContain("card");
    }

    @Test
    void payloadViewerSeesValues() throws Exception {
        assertThat(dashboard.getAs("reader", API + "/message" + message).text()).contains("Ann", "card 4711 refused");
        assertThat(dashboard.getAs("reader", API + "/payload" + message).text()).contains("4711");
        assertThat(write("reader", "PAUSE", "")).isEqualTo(403);
    }

    @Test
    void operatorOperatesAndPurgesNot() throws Exception {
        assertThat(write("operator", "PAUSE", "")).isEqualTo(200);
        assertThat(dashboard.client().stats(topic).paused()).isTrue();
        assertThat(write("operator", "PURGE_PENDING", ", \"id\": \"a\"")).isEqualTo(403);
        assertThat(dashboard.getAs("operator", API + "/payload" + message).status())
                .isEqualTo(403);
        assertThat(write("purger", "PAUSE", "")).isEqualTo(403);
        assertThat(write("purger", "PURGE_PENDING", ", \"id\": \"a\"")).isEqualTo(200);
        assertThat(Stream.of(0, 1, 2, 3).map(i -> {
                    try {
                        var event = dashboard
                                .getAs("viewer", API + "/activity")
                                .json()
                                .path("events")
                                .path(i);
                        return event.path("caller").asString() + " "
                                + event.path("outcome").asString();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }))
                .containsExactly("purger DONE", "purger DENIED", "operator DENIED", "operator DONE");
    }

    @Test
    void writeWithoutTheApplicationsTokenIsRefused() throws Exception {
        Reply refused = dashboard.post(
                API + "/operation",
                "{\"operation\": \"PAUSE\", \"topic\": \"" + topic + "\"}",
                "Authorization",
                Dashboard.basic("operator"));

        // Spring Security looks at the token before it looks at the password
        assertThat(refused.status()).isIn(401, 403);
        assertThat(dashboard.client().stats(topic).paused()).isFalse();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Secured {

        // tag::security[]
        @Bean
        @Order(1)
        SecurityFilterChain dashboard(HttpSecurity http) throws Exception {
            return http.securityMatcher(DashboardRequest.any())
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
        // end::security[]

        @Bean
        StorySource stories() {
            return (topic, id) -> Optional.of(new Story(
                    topic,
                    id,
                    List.of(new Story.Message(
                            "1",
                            List.of(new Story.Event(Instant.EPOCH, null, "DEAD", null, 1, null, "card 4711 refused")))),
                    true));
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("viewer", "DELAYQUEUE_VIEWER"),
                    user("reader", "DELAYQUEUE_PAYLOAD_VIEWER"),
                    user("operator", "DELAYQUEUE_OPERATOR"),
                    user("purger", "DELAYQUEUE_PURGER"),
                    user("nobody", "USER"));
        }

        static UserDetails user(String name, String role) {
            return User.withUsername(name).password("{noop}secret").roles(role).build();
        }
    }
}
