package io.delayqueue.spring.listener;

import io.delayqueue.spring.annotation.DelayQueueListener;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A {@link DelayQueueListener} can't work as it is written; names class, method and attribute. */
public class InvalidListenerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String listener;
    private final String attribute;
    private final String problem;

    /**
     * An exception about a listener.
     *
     * @param method the method that is annotated
     * @param attribute what of it is wrong: an attribute of the annotation, {@code parameters}, {@code return type} …
     * @param problem what is wrong with it
     * @param cause why, if known
     */
    public InvalidListenerException(Method method, String attribute, String problem, @Nullable Throwable cause) {
        this(describe(method), attribute, problem, cause);
    }

    private InvalidListenerException(String listener, String attribute, String problem, @Nullable Throwable cause) {
        super("@DelayQueueListener on " + listener + ", " + attribute + ": " + problem, cause);
        this.listener = listener;
        this.attribute = attribute;
        this.problem = problem;
    }

    /** Class, method and parameter types. */
    public String listener() {
        return listener;
    }

    /** The attribute or part of the method that is wrong. */
    public String attribute() {
        return attribute;
    }

    /** What is wrong. */
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
