package io.delayqueue.gateway.http.request;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Gives controllers the caller that {@link CallerFilter} found. */
public final class CallerArgumentResolver implements HandlerMethodArgumentResolver {

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
        // the filter let no request pass without one: this fails closed if an application disables it
        if (!(request.getAttribute(CallerFilter.CALLER, RequestAttributes.SCOPE_REQUEST) instanceof Caller caller)) {
            throw new ProblemException(ProblemType.UNAUTHENTICATED, CallerFilter.SEND_A_TOKEN);
        }
        return caller;
    }
}
