package io.delayqueue.gateway.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The application's Spring Security tells the gateway's callers. */
@ExtendWith(EmbeddedRedisExtension.class)
class GatewaySecurityTests {

    private static final String MESSAGES = "/topics/orders/messages";
    private static final String CLAIMS = "/topics/orders/claims";
    private static final String BODY = "{\"payload\": 1}";

    // SHA-256 of "abc", from FIPS 180
    private static final String SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    private static int status(String user, String method, String path, String body) throws Exception {
        String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
        return gateway.send(method, path, body, "Authorization", "Basic " + credentials)
                .status();
    }

    private static Gateway gateway;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(
                Secured.class,
                redis,
                "spring.autoconfigure.exclude=" + Gateway.DATABASE,
                "delayqueue.gateway.tokens.shop.sha256=" + SHA256,
                "delayqueue.gateway.tokens.shop.rights=produce",
                "delayqueue.gateway.tokens.shop.topics=*");
    }

    @AfterAll
    static void close() {
        gateway.close();
    }

    @Test
    void rolesAreRights() throws Exception {
        assertThat(status("producer", "POST", MESSAGES, BODY)).isEqualTo(201);
        assertThat(status("producer", "POST", CLAIMS, "{}")).isEqualTo(403);
        assertThat(status("consumer", "POST", CLAIMS, "{}")).isEqualTo(200);
        assertThat(status("consumer", "POST", MESSAGES, BODY)).isEqualTo(403);
        assertThat(status("operator", "GET", MESSAGES + "/a", "")).isEqualTo(404);
        assertThat(status("operator", "DELETE", MESSAGES + "/a", "")).isEqualTo(403);
        assertThat(status("nobody", "GET", "/topics/orders", "")).isEqualTo(403);
    }

    @Test
    void longPollOfAUserIsAnswered() throws Exception {
        CompletableFuture<Reply> waiting =
                gateway.sendAsync("POST", CLAIMS, "{\"wait\": 60}", "Authorization", "Basic Y29uc3VtZXI6c2VjcmV0");
        assertThat(status("producer", "POST", MESSAGES, BODY)).isEqualTo(201);

        assertThat(waiting.join().json().get("messages").size()).isEqualTo(1);
    }

    @Test
    void requestWithoutAUserOrTokenIsRefused() throws Exception {
        assertThat(gateway.send("GET", "/topics").status()).isEqualTo(401);
    }

    @Test
    void tokensWorkBesideUsers() throws Exception {
        assertThat(gateway.send("POST", MESSAGES, BODY, "Authorization", "Bearer abc")
                        .status())
                .isEqualTo(201);
        assertThat(gateway.send("POST", CLAIMS, "{}", "Authorization", "Bearer abc")
                        .status())
                .isEqualTo(403);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Secured {

        /** Lets everybody through to the gateway, which asks for the user itself. */
        @Bean
        SecurityFilterChain gatewayChain(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("producer")
                            .password("{noop}secret")
                            .roles("DELAYQUEUE_PRODUCER")
                            .build(),
                    User.withUsername("consumer")
                            .password("{noop}secret")
                            .roles("DELAYQUEUE_CONSUMER")
                            .build(),
                    User.withUsername("operator")
                            .password("{noop}secret")
                            .roles("DELAYQUEUE_OPERATOR")
                            .build(),
                    User.withUsername("nobody")
                            .password("{noop}secret")
                            .roles("USER")
                            .build());
        }
    }
}
