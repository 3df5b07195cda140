package io.delayqueue.gateway.http;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.Callers;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Gives controllers the caller of the request, and refuses a request without one. */
public final class CallerArgumentResolver implements HandlerMethodArgumentResolver {

    private final Callers callers;

    /** A resolver that asks these callers. */
    public CallerArgumentResolver(Callers callers) {
        this.callers = callers;
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.getParameterType() == Caller.class;
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binderFactory) {
        HttpServletRequest servletRequest = request.getNativeRequest(HttpServletRequest.class);
        Caller caller = servletRequest == null ? null : callers.of(servletRequest);
        if (caller == null) {
            throw new ProblemException(ProblemType.UNAUTHENTICATED, "send Authorization: Bearer and a valid token");
        }
        return caller;
    }
}
