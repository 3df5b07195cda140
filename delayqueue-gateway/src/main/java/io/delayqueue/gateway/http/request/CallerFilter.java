package io.delayqueue.gateway.http.request;

import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.Callers;
import io.delayqueue.gateway.security.RequestRates;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets requests pass whose caller is known, as often as it may ask. Answers failures for which no controller is responsible. */
public final class CallerFilter extends OncePerRequestFilter {

    /** After Spring Security (-100), whose users may be callers. */
    public static final int ORDER = -50;

    /** Attribute of the request that has the caller. */
    static final String CALLER = Caller.class.getName();

    static final String SEND_A_TOKEN = "send Authorization: Bearer and a valid token";

    private final Callers callers;
    private final RequestRates rates;
    private final Answers answers;

    /** A filter that asks these callers. */
    public CallerFilter(Callers callers, RequestRates rates, Answers answers) {
        this.callers = callers;
        this.rates = rates;
        this.answers = answers;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        // payloads belong into no cache, and are no pages, whatever they look like
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        try {
            request.setAttribute(CALLER, admit(request));
            chain.doFilter(request, response);
        } catch (ServletException | RuntimeException e) {
            if (response.isCommitted()) {
                throw e;
            }
            response.resetBuffer();
            answers.of(e instanceof ServletException && e.getCause() != null ? e.getCause() : e)
                    .writeTo(response);
        }
    }

    private Caller admit(HttpServletRequest request) {
        Caller caller = callers.of(request);
        if (caller == null) {
            throw new ProblemException(ProblemType.UNAUTHENTICATED, SEND_A_TOKEN, HttpHeaders.AUTHORIZATION);
        }
        if (!rates.tryRequest(caller.name())) {
            throw new ProblemException(ProblemType.TOO_MANY_REQUESTS, "this caller's rate of requests is used up");
        }
        return caller;
    }
}
