package io.delayqueue.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.testsupport.WebApplication;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.json.JsonMapper;

/** The endpoint behind the application's own Spring Security: roles decide, and the audit names the user. */
@ExtendWith(EmbeddedRedisExtension.class)
class SecuredEndpointTests {

    private static final String PATH = "/actuator/delayqueue";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String[] PROPERTIES = {
        "management.endpoints.web.exposure.include=delayqueue",
        "management.endpoint.delayqueue.access=unrestricted",
        "management.endpoint.delayqueue.show-values=when-authorized",
        "management.endpoint.delayqueue.roles=READER",
        "management.endpoint.delayqueue.operate-roles=OPERATOR",
        "management.endpoint.delayqueue.purge-roles=PURGER"
    };

    @Test
    void rolesDecide(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(Secured.class, redis, PROPERTIES)) {
            schedule(application, "orders", "o-1");

            assertThat(application.get(PATH).statusCode()).isEqualTo(401);
            assertThat(application
                            .get(PATH, "Authorization", basic("ada", "wrong"))
                            .statusCode())
                    .isEqualTo(401);
            assertThat(read(application, "viewer", "?topic=orders&id=o-1"))
                    .contains("******")
                    .doesNotContain("secret");
            assertThat(read(application, "reader", "?topic=orders&id=o-1")).contains("secret");

            Map<String, String> pause = Map.of("action", "pause", "topic", "orders");
            assertThat(write(application, "viewer", pause)).isEqualTo(403);
            assertThat(client(application).stats("orders").paused()).isFalse();
            assertThat(write(application, "ada", pause)).isEqualTo(200);
            assertThat(client(application).stats("orders").paused()).isTrue();

            Map<String, String> purge = Map.of("action", "purge-pending", "topic", "orders", "id", "o-1");
            assertThat(write(application, "ada", purge)).isEqualTo(403);
            assertThat(client(application).find("orders", "o-1")).isPresent();
            assertThat(write(application, "purger", purge)).isEqualTo(200);
            assertThat(client(application).find("orders", "o-1")).isEmpty();
        }
    }

    @Test
    void eachActionLeavesOneAuditEventAndOneLogLine(EmbeddedRedis redis) throws Exception {
        try (WebApplication application = WebApplication.start(Secured.class, redis, PROPERTIES)) {
            Map<String, String> topicOf = new LinkedHashMap<>();
            List.of("pause", "cancel", "reschedule", "run-now", "purge-pending", "resume")
                    .forEach(action -> topicOf.put(action, "orders"));
            List.of("redrive", "purge-dead-letters").forEach(action -> topicOf.put(action, "work"));
            topicOf.forEach((action, topic) -> schedule(application, topic, "m-" + action));
            await().until(() -> client(application).stats("work").dead() == 2);
            Logger logger = (Logger) LoggerFactory.getLogger(DelayQueueOperator.class);
            ListAppender<ILoggingEvent> lines = new ListAppender<>();
            lines.start();
            logger.addAppender(lines);
            Level before = logger.getLevel();
            logger.setLevel(Level.INFO);

            try {
                for (Map.Entry<String, String> each : topicOf.entrySet()) {
                    assertOneTrace(application, lines, each.getKey(), each.getValue());
                }
            } finally {
                logger.detachAppender(lines);
                logger.setLevel(before);
            }
        }
    }

    private static void assertOneTrace(
            WebApplication application, ListAppender<ILoggingEvent> lines, String action, String topic)
            throws Exception {
        int before = audit(application).size();
        lines.list.clear();
        Map<String, String> request = new LinkedHashMap<>(Map.of("action", action, "topic", topic));
        if (!action.equals("pause") && !action.equals("resume")) {
            request.put("id", "m-" + action);
        }
        if (action.equals("reschedule")) {
            request.put("delay", "PT2H");
        }
        for (String user : List.of("viewer", "boss")) {
            assertThat(write(application, user, request))
                    .as(action + " by " + user)
                    .isEqualTo(user.equals("boss") ? 200 : 403);
        }

        List<AuditEvent> events = audit(application);
        assertThat(events.subList(before, events.size())).as(action).hasSize(2);
        assertThat(events.get(before).getPrincipal()).isEqualTo("viewer");
        assertThat(events.get(before).getData()).containsEntry("outcome", "DENIED");
        assertThat(events.get(before + 1).getPrincipal()).isEqualTo("boss");
        assertThat(events.get(before + 1).getType())
                .isEqualTo("DELAYQUEUE_" + action.replace('-', '_').toUpperCase(Locale.ROOT));
        assertThat(events.get(before + 1).getData()).containsEntry("outcome", "DONE");
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        denied -> assertThat(denied).contains("Operator 'viewer'", "'" + topic + "'", "DENIED"),
                        done -> assertThat(done).contains("Operator 'boss'", "'" + topic + "'", "DONE"));
    }

    private static void schedule(WebApplication application, String topic, String id) {
        application
                .bean(DelayQueueOperations.class)
                .message(topic, "secret")
                .id(id)
                .delay(topic.equals("work") ? Duration.ZERO : HOUR)
                .schedule();
    }

    private static List<AuditEvent> audit(WebApplication application) {
        return application.bean(AuditEventRepository.class).find(null, null, null).stream()
                .filter(event -> event.getType().startsWith("DELAYQUEUE_"))
                .toList();
    }

    private static String read(WebApplication application, String user, String query) throws Exception {
        HttpResponse<String> response = application.get(PATH + query, "Authorization", basic(user, user));
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    private static int write(WebApplication application, String user, Map<String, String> body) throws Exception {
        return application
                .post(PATH, JsonMapper.shared().writeValueAsString(body), "Authorization", basic(user, user))
                .statusCode();
    }

    private static DelayQueueClient client(WebApplication application) {
        return application.bean(DelayQueueClient.class);
    }

    private static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    @Import(EndpointApplication.class)
    static class Secured {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .csrf(AbstractHttpConfigurer::disable)
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("viewer", "VIEWER"),
                    user("reader", "READER"),
                    user("ada", "OPERATOR"),
                    user("purger", "PURGER"),
                    user("boss", "OPERATOR", "PURGER"));
        }

        private static UserDetails user(String name, String... roles) {
            return User.withUsername(name)
                    .password("{noop}" + name)
                    .roles(roles)
                    .build();
        }
    }
}
