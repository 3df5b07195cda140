package io.delayqueue.spring.listener;

import io.delayqueue.spring.annotation.DelayQueueListener;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A {@link DelayQueueListener}, or a listener registered by program, is invalid; names class, method and attribute. */
public class InvalidListenerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String listener;
    private final String attribute;
    private final String problem;

    /**
     * An exception about a listener.
     *
     * @param method the annotated method
     * @param attribute the invalid part: an attribute of the annotation, {@code parameters}, {@code return type} …
     * @param problem the problem with it
     * @param cause the cause, or null if unknown
     */
    public InvalidListenerException(Method method, String attribute, String problem, @Nullable Throwable cause) {
        this("@DelayQueueListener on " + describe(method), describe(method), attribute, problem, cause);
    }

    /**
     * An exception about a listener that may be registered by program.
     *
     * @param endpoint the listener
     * @param attribute the invalid part
     * @param problem the problem with it
     * @param cause the cause, or null if unknown
     */
    public InvalidListenerException(
            DelayQueueListenerEndpoint endpoint, String attribute, String problem, @Nullable Throwable cause) {
        this(
                endpoint.toString(),
                endpoint.hasHandler() ? endpoint.toString() : describe(endpoint.method()),
                attribute,
                problem,
                cause);
    }

    private InvalidListenerException(
            String declaration, String listener, String attribute, String problem, @Nullable Throwable cause) {
        super(declaration + ", " + attribute + ": " + problem, cause);
        this.listener = listener;
        this.attribute = attribute;
        this.problem = problem;
    }

    /** Class, method and parameter types of the listener; id, topic and class if it is a handler without a method. */
    public String listener() {
        return listener;
    }

    /** The invalid attribute or part of the method. */
    public String attribute() {
        return attribute;
    }

    /** The problem with it. */
    public String problem() {
        return problem;
    }

    static String describe(Method method) {
        StringBuilder text = new StringBuilder(method.getDeclaringClass().getName())
                .append('.')
                .append(method.getName())
                .append('(');
        for (Class<?> type : method.getParameterTypes()) {
            text.append(text.charAt(text.length() - 1) == '(' ? "" : ", ").append(type.getSimpleName());
        }
        return text.append(')').toString();
    }
}
