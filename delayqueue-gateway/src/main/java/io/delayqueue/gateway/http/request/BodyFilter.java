package io.delayqueue.gateway.http.request;

import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.problem.ProblemException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses bodies that are too large or no JSON, before a filter of Spring's reads the parameters of a form from them. */
public final class BodyFilter extends OncePerRequestFilter {

    /** Before Spring Boot's filter for forms (-9900), after those for encoding and observation. */
    public static final int ORDER = -9950;

    private final BoundedBody bodies;
    private final Answers answers;

    /** A filter that asks these bodies. */
    public BodyFilter(BoundedBody bodies, Answers answers) {
        this.bodies = bodies;
        this.answers = answers;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            bodies.check(request);
        } catch (ProblemException refused) {
            answers.of(refused).writeTo(response);
            return;
        }
        chain.doFilter(request, response);
    }
}
