package io.delayqueue.spring.actuate;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The application without Spring Security: a request that names a role comes from a user who has it. */
@Configuration(proxyBeanMethods = false)
@Import(EndpointApplication.class)
class RoleHeader {

    static final String NAME = "X-Role";

    @Bean
    Filter users() {
        return (request, response, chain) -> {
            String role = ((HttpServletRequest) request).getHeader(NAME);
            chain.doFilter(role == null ? request : new User((HttpServletRequest) request, role), response);
        };
    }

    private static final class User extends HttpServletRequestWrapper {

        private final String role;

        User(HttpServletRequest request, String role) {
            super(request);
            this.role = role;
        }

        @Override
        public Principal getUserPrincipal() {
            return () -> "a " + role;
        }

        @Override
        public boolean isUserInRole(String asked) {
            return role.equals(asked);
        }
    }
}
