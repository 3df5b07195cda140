package io.delayqueue.spring.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.validation.annotation.Validated;

/** Checks that a listener accepts a method's parameters and return type. */
final class ListenerSignature {

    private static final String ACCEPTED_PARAMETERS = "a listener takes at most one payload, and DelayQueueMessage<T>, "
            + "Message<T>, @Header, @Headers Map, MessageHeaders and Delivery";

    private static final Set<String> OWN_PACKAGES =
            Set.of("io.delayqueue", "io.delayqueue.spring", "io.delayqueue.spring.listener");

    private final Method method;
    private final List<MethodParameter> parameters;
    private final boolean hasValidator;

    ListenerSignature(InvocableHandlerMethod method, boolean hasValidator) {
        this.method = method.getMethod();
        this.parameters = List.of(method.getMethodParameters());
        this.hasValidator = hasValidator;
    }

    /**
     * Checks the method.
     *
     * @throws InvalidListenerException if a parameter or the return type is not accepted
     */
    void check() {
        checkReturnType();
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

    private void checkReturnType() {
        Class<?> type = method.getReturnType();
        if (type != void.class && type != Void.class && !AsyncResult.isAwaitable(type)) {
            throw invalid(
                    "return type",
                    "is " + type.getTypeName()
                            + ", but must be void, CompletionStage or Mono: a listener has no caller to answer");
        }
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
