package io.delayqueue.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Dashboard.Reply;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Access to dashboards with a servlet's path, without the protection against other sites, and without writes. */
@ExtendWith(EmbeddedRedisExtension.class)
class AccessSettingsTests {

    private static final String API = "/delayqueue/api";
    private final String topic = Messages.uniqueTopic();

    @Test
    void servletsPathIsPartOfWhatIsProtected(EmbeddedRedis redis) throws Exception {
        try (Dashboard below = Dashboard.secured(
                AccessTests.Secured.class,
                redis,
                "spring.mvc.servlet.path=/mvc",
                "server.servlet.context-path=/shop")) {
            for (String path : List.of("", "/topic?topic=" + topic, "/api/overview")) {
                Reply refused = below.get("/shop/mvc/delayqueue" + path);
                assertThat(refused.status()).as(path).isEqualTo(401);
                assertThat(refused.header("WWW-Authenticate")).as(path).startsWith("Basic");
                assertThat(refused.header("Content-Security-Policy")).as(path).startsWith("default-src 'none'");
                assertThat(below.getAs("viewer", "/shop/mvc/delayqueue" + path).status())
                        .as(path)
                        .isEqualTo(200);
            }
            Reply page = below.getAs("viewer", "/shop/mvc/delayqueue");
            assertThat(AccessTests.attribute(page, "data-base")).isEqualTo("/shop/mvc/delayqueue");
            Reply script =
                    below.getAs("viewer", AccessTests.attribute(page, " src").replace("lib/preact.js", "app.js"));
            assertThat(script.status()).isEqualTo(200);
            assertThat(script.header("Content-Type")).startsWith("text/javascript");
        }
    }

    /** A browser sends the password of HTTP Basic with what another site asks for, too. */
    @Test
    void otherSitesAreRefusedWithoutThatProtection(EmbeddedRedis redis) throws Exception {
        String pause = "{\"operation\": \"PAUSE\", \"topic\": \"" + topic + "\"}";
        String operator = Dashboard.basic("operator");
        try (Dashboard unprotected =
                Dashboard.secured(WithoutCsrf.class, redis, "delayqueue.dashboard.write-enabled=true")) {
            unprotected
                    .client()
                    .schedule(OutgoingMessage.to(topic)
                            .payload(new byte[1])
                            .delay(Duration.ofHours(1))
                            .build());
            for (String site : List.of("cross-site", "same-site", "none")) {
                Reply refused =
                        unprotected.post(API + "/operation", pause, "Authorization", operator, "Sec-Fetch-Site", site);
                assertThat(refused.status()).as(site).isEqualTo(403);
                assertThat(refused.problem()).as(site).isEqualTo("cross-site");
            }
            assertThat(unprotected.client().stats(topic).paused()).isFalse();

            assertThat(unprotected
                            .post(API + "/operation", pause, "Authorization", operator)
                            .status())
                    .isEqualTo(200);
            assertThat(unprotected.client().stats(topic).paused()).isTrue();
        }
    }

    @Test
    void writesAreOffUnlessEnabled(EmbeddedRedis redis) throws Exception {
        try (Dashboard readOnly = Dashboard.start(redis, "delayqueue.dashboard.write-enabled=false")) {
            Reply refused =
                    readOnly.post(API + "/operation", "{\"operation\": \"PAUSE\", \"topic\": \"" + topic + "\"}");
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.problem()).isEqualTo("read-only");
            assertThat(readOnly.get("/delayqueue").text()).contains("data-rights=\"VIEW PAYLOAD\"");
            for (String path : List.of("plan", "start", "stop")) {
                assertThat(readOnly.post(API + "/" + path, "{}").problem()).isEqualTo("read-only");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithoutCsrf {

        @Bean
        SecurityFilterChain dashboard(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .csrf(AbstractHttpConfigurer::disable)
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(AccessTests.Secured.user("operator", "DELAYQUEUE_OPERATOR"));
        }
    }
}
