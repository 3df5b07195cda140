package io.delayqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.delayqueue.dashboard.access.DashboardRequest;
import io.delayqueue.dashboard.testsupport.Chromium;
import io.delayqueue.dashboard.testsupport.ChromiumExtension;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Tab;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.operator.Story;
import io.delayqueue.spring.operator.StorySource;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The page of users who log in by the application's form, behind its protection against requests of other sites. */
@ExtendWith({ChromiumExtension.class, EmbeddedRedisExtension.class})
@Tag("slow")
class SignedInTests {

    private static final String BASE = "/delayqueue";

    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static Dashboard dashboard;
    private static Messages messages;

    private final String topic = "parcels-" + TOPICS.incrementAndGet();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.secured(FormLogin.class, redis, "delayqueue.dashboard.write-enabled=true");
        messages = new Messages(dashboard.client());
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    @Test
    void operatorChangesWhatTheRightsAllow(Chromium chromium) {
        messages.dead(topic, "boom", "d-0");

        try (Tab tab = chromium.open(dashboard).logIn(BASE, "operator").visit(BASE + "/topic?topic=" + topic)) {
            assertThat(tab.section("Dead letters by error")).containsText("The only dead letter was examined.");
            assertThat(tab.section("Dead letters by error")).containsText("Redrive all");
            assertThat(tab.section("Dead letters by error")).not().containsText("Purge");
            tab.button("Pause").click();
            tab.confirm("Pause topic", topic + " is paused.");
            assertThat(dashboard.client().stats(topic).paused()).isTrue();

            tab.visit(BASE + "/activity");
            assertThat(tab.section("Latest actions on this instance")
                            .locator("tbody tr")
                            .first())
                    .containsText("operator");
        }
    }

    @Test
    void viewerSeesNeitherButtonsNorValues(Chromium chromium) {
        messages.dead(topic, "boom", "d-0");

        try (Tab tab = chromium.open(dashboard).logIn(BASE, "viewer").visit(BASE + "/topic?topic=" + topic)) {
            assertThat(tab.page().locator("main")).containsText("Read-only: you have no right to change anything.");
            assertThat(tab.section("Dead letters by error")).containsText("hidden");
            assertThat(tab.section("Dead letters by error").getByRole(AriaRole.BUTTON))
                    .hasCount(0);
            assertThat(tab.button("Pause")).hasCount(0);

            tab.visit(BASE + "/message?topic=" + topic + "&id=d-0");
            assertThat(tab.section("Payload")).containsText("You may not see payloads");
            assertThat(tab.page().locator("main")).not().containsText("boom");
            assertThat(tab.page().locator("main").getByRole(AriaRole.BUTTON)).hasCount(0);
        }
    }

    @Test
    void userWithoutARoleReadsWhichOnesThereAre(Chromium chromium) {
        for (ColorScheme colors : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            try (Tab tab = chromium.open(dashboard, colors, 400, 800).allowing("403")) {
                tab.authenticate(BASE + "/topic?topic=" + topic, "nobody");

                assertThat(tab.page().locator("h1")).hasText("You may not see this page");
                assertThat(tab.page().locator("main")).containsText("You are logged in as nobody");
                assertThat(tab.page().locator("main li")).hasText(new String[] {
                    "DELAYQUEUE_VIEWER", "DELAYQUEUE_PAYLOAD_VIEWER", "DELAYQUEUE_OPERATOR", "DELAYQUEUE_PURGER"
                });
                assertThat(tab.sidewaysScroll()).isZero();
                assertThat(tab.accessibilityFindings()).isEmpty();
            }
        }
    }

    @Test
    void endOfTheSessionIsSaidAndTheNumbersStay(Chromium chromium) {
        messages.scheduled(topic, "o-", 7);

        try (Tab tab = chromium.open(dashboard).logIn(BASE, "viewer").visit(BASE + "/topic?topic=" + topic)) {
            tab.context().clearCookies();

            assertThat(tab.page().locator(".failure"))
                    .containsText("Your session has ended. Reload the page to log in again.");
            assertThat(tab.page().locator(".tile.scheduled dd")).containsText("7");
            tab.button("Reload").click();
            assertThat(tab.page().locator("input[name=password]")).isVisible();
            tab.logIn(BASE, "viewer");
        }
    }

    @Test
    void listenerThatStoppedIsSaid(Chromium chromium) {
        DelayQueueListenerContainer listener = dashboard
                .context()
                .getBean(DelayQueueListenerEndpointRegistry.class)
                .container("postman")
                .orElseThrow();

        try (Tab tab = chromium.open(dashboard).logIn(BASE, "viewer").visit(BASE + "/topic?topic=letters")) {
            listener.stop(Duration.ofSeconds(1));
            assertThat(tab.page().locator(".attention")).containsText("Listener postman has stopped.");
        } finally {
            listener.start();
        }
    }

    @Test
    void listenersAndStoriesAreShown(Chromium chromium) {
        try (Tab tab = chromium.open(dashboard).logIn(BASE, "reader").visit(BASE + "/topic?topic=letters")) {
            assertThat(tab.section("Listeners of this instance")).containsText("running");
            assertThat(tab.section("Listeners of this instance")).containsText("7 attempts");
            assertThat(tab.section("Listeners of this instance"))
                    .containsText("backoff 1.0 s, times 2 after each attempt");

            tab.visit(BASE + "/message?topic=letters&id=posted");
            assertThat(tab.page().locator("main")).containsText("This message is not in Redis");
            assertThat(tab.section("Story").locator("li")).hasCount(2);
            assertThat(tab.section("Story")).containsText("no stamp");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class FormLogin {

        // tag::form-login[]
        @Bean
        SecurityFilterChain application(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers(DashboardRequest.any())
                            .authenticated()
                            .anyRequest() // your own rules
                            .permitAll())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }
        // end::form-login[]

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("viewer", "DELAYQUEUE_VIEWER"),
                    user("reader", "DELAYQUEUE_PAYLOAD_VIEWER"),
                    user("operator", "DELAYQUEUE_OPERATOR"),
                    user("nobody", "USER"));
        }

        private static UserDetails user(String name, String role) {
            return User.withUsername(name).password("{noop}secret").roles(role).build();
        }

        @Bean
        StorySource stories() {
            return (topic, id) -> id.equals("posted")
                    ? Optional.of(new Story(
                            topic,
                            id,
                            List.of(new Story.Message(
                                    "1",
                                    List.of(
                                            new Story.Event(Instant.EPOCH, null, "SCHEDULED", null, null, null, null),
                                            new Story.Event(
                                                    Instant.EPOCH, "READY", "DEAD", null, 1, "host:1", "no stamp")))),
                            true))
                    : Optional.empty();
        }

        @Bean
        Letters letters() {
            return new Letters();
        }
    }

    static class Letters {
        @DelayQueueListener(id = "postman", topic = "letters", maxAttempts = "7")
        void on(String letter) {}
    }
}
