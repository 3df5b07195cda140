package io.delayqueue.spring.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.validation.annotation.Validated;

/** Checks that a listener accepts a method's parameters and return type. */
final class ListenerSignature {

    private static final String ACCEPTED_PARAMETERS = "a listener takes at most one payload, and DelayQueueMessage<T>, "
            + "Message<T>, @Header, @Headers Map, MessageHeaders and Delivery";

    private static final Set<String> OWN_PACKAGES =
            Set.of("io.delayqueue", "io.delayqueue.spring", "io.delayqueue.spring.listener");

    /** Annotations whose methods return before their work is done, by name: most applications have only the first one. */
    private static final List<String> ASYNC = List.of(
            "org.springframework.scheduling.annotation.Async",
            "jakarta.enterprise.concurrent.Asynchronous",
            "jakarta.ejb.Asynchronous");

    private final Class<?> beanType;
    private final Method method;
    private final List<MethodParameter> parameters;
    private final boolean hasValidator;
    private final boolean idempotent;

    ListenerSignature(InvocableHandlerMethod method, boolean hasValidator, boolean idempotent) {
        this.beanType = AopProxyUtils.ultimateTargetClass(method.getBean());
        this.method = method.getMethod();
        this.parameters = List.of(method.getMethodParameters());
        this.hasValidator = hasValidator;
        this.idempotent = idempotent;
    }

    /**
     * Checks the method.
     *
     * @throws InvalidListenerException if a parameter or the return type is not accepted
     */
    void check() {
        checkIdempotent();
        checkReturnType();
        checkAsync();
        parameters.forEach(this::checkParameter);
        long payloads = parameters.stream()
                .filter(parameter -> ParameterKind.of(parameter) == ParameterKind.PAYLOAD)
                .count();
        if (payloads > 1) {
            throw invalid(
                    "parameters",
                    "has " + payloads + " payload parameters, but at most one is accepted; " + ACCEPTED_PARAMETERS);
        }
    }

    /** A transaction belongs to a thread, so it would end before the work is done. */
    private void checkIdempotent() {
        if (idempotent && isDeclaredAsync()) {
            throw invalid(
                    "idempotent",
                    "can't be combined with @Async: the method would run outside of the transaction that records its message."
                            + " Remove @Async: listeners run on worker threads anyway");
        }
        if (idempotent && AsyncResult.isAwaitable(method.getReturnType())) {
            throw invalid(
                    "idempotent",
                    "needs a method that does its work before it returns, but this one returns "
                            + method.getReturnType().getTypeName()
                            + ". Return void, and wait for results inside the method: its work belongs to a transaction of its thread");
        }
    }

    private boolean isDeclaredAsync() {
        return isAsync(AopUtils.getMostSpecificMethod(method, beanType)) || isAsync(beanType);
    }

    private void checkReturnType() {
        Class<?> type = method.getReturnType();
        if (type != void.class && type != Void.class && !AsyncResult.isAwaitable(type)) {
            throw invalid(
                    "return type",
                    "is " + type.getTypeName()
                            + ", but must be void, CompletionStage or Mono: a listener has no caller to answer");
        }
    }

    /** Spring's own async methods must return a CompletableFuture if they return anything. */
    private void checkAsync() {
        if (!CompletableFuture.class.isAssignableFrom(method.getReturnType()) && isDeclaredAsync()) {
            throw invalid(
                    "return type",
                    "is " + method.getReturnType().getTypeName()
                            + " of an @Async method: it would return, and its message be"
                            + " acked, before its work is done. Return a CompletableFuture, or remove @Async: listeners run on"
                            + " worker threads anyway");
        }
    }

    private static boolean isAsync(AnnotatedElement element) {
        MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
        return ASYNC.stream().anyMatch(annotations::isPresent);
    }

    private void checkParameter(MethodParameter parameter) {
        Class<?> type = parameter.getParameterType();
        ParameterKind kind = ParameterKind.of(parameter);
        if (type.getName().equals("kotlin.coroutines.Continuation")) {
            throw invalid("parameters", "is a Kotlin suspend function, which is not supported");
        }
        Payload payload = parameter.getParameterAnnotation(Payload.class);
        if (payload != null && !payload.expression().isEmpty()) {
            throw invalid("parameters", "has a @Payload with an expression, which is not supported");
        }
        Type resolved =
                GenericTypeResolver.resolveType(parameter.getGenericParameterType(), parameter.getContainingClass());
        if (!kind.accepts(type) || kind == ParameterKind.PAYLOAD && (isNoPayload(type) || isVague(resolved))) {
            throw invalid(
                    "parameters",
                    "can't take parameter " + parameter.getParameterIndex() + " of type " + resolved.getTypeName()
                            + "; " + ACCEPTED_PARAMETERS);
        }
        if (!hasValidator && isValidated(parameter)) {
            throw invalid(
                    "parameters",
                    "asks for validation, but there is no Validator (or several, none primary); add spring-boot-starter-validation");
        }
    }

    /** Types of this library, of spring-messaging and of futures, which can't be payloads. */
    private static boolean isNoPayload(Class<?> type) {
        String packageName = type.getPackageName();
        return OWN_PACKAGES.contains(packageName)
                || packageName.startsWith("org.springframework.messaging")
                || packageName.startsWith("org.reactivestreams")
                || packageName.startsWith("reactor.core")
                || CompletionStage.class.isAssignableFrom(type)
                || Future.class.isAssignableFrom(type)
                || type == Void.class;
    }

    /** Whether the parameter does not tell a type to read the payload as. */
    private static boolean isVague(Type type) {
        return type instanceof TypeVariable || type == Optional.class;
    }

    static boolean isValidated(MethodParameter parameter) {
        for (Annotation annotation : parameter.getParameterAnnotations()) {
            Class<?> type = annotation.annotationType();
            if (type == Validated.class || type.getSimpleName().startsWith("Valid")) {
                return true;
            }
        }
        return false;
    }

    private InvalidListenerException invalid(String attribute, String problem) {
        return new InvalidListenerException(method, attribute, problem, null);
    }
}
