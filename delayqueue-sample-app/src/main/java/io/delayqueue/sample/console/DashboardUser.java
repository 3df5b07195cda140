package io.delayqueue.sample.console;

import io.delayqueue.dashboard.access.DashboardRequest;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Only the page of the queue needs a login: user {@value #NAME} with the password {@value #NAME}, who may do everything there. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
class DashboardUser {

    static final String NAME = "demo";

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(User.withUsername(NAME)
                .password("{noop}" + NAME)
                .roles("DELAYQUEUE_VIEWER", "DELAYQUEUE_PAYLOAD_VIEWER", "DELAYQUEUE_OPERATOR", "DELAYQUEUE_PURGER")
                .build());
    }

    /** With Spring Security's protection against requests of other sites, which the page's own requests pass. */
    @Bean
    @Order(1)
    SecurityFilterChain dashboard(HttpSecurity http) {
        return http.securityMatcher(DashboardRequest.any())
                .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    /** The shop and the actuator are open: this is a sample. */
    @Bean
    @Order(2)
    SecurityFilterChain shop(HttpSecurity http) {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .csrf(AbstractHttpConfigurer::disable)
                .build();
    }
}
