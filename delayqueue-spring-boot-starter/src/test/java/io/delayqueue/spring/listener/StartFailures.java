package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Assertions on listeners that fail the start. */
final class StartFailures {

    private StartFailures() {}

    /** Asserts that a listener fails the start with an exception that names class, method, attribute and problem. */
    static void failsFor(ApplicationContextRunner runner, Class<?> listener, String attribute, String problem) {
        runner.withBean(listener).run(context -> {
            assertThat(context).hasFailed();
            Throwable cause = context.getStartupFailure();
            while (cause != null && !(cause instanceof InvalidListenerException)) {
                cause = cause.getCause();
            }
            assertThat(cause)
                    .isInstanceOfSatisfying(InvalidListenerException.class, failure -> {
                        assertThat(failure.listener()).startsWith(listener.getName() + ".on(");
                        assertThat(failure.attribute()).isEqualTo(attribute);
                        assertThat(failure.problem()).contains(problem);
                    })
                    .hasMessageContaining(listener.getName(), attribute, problem);
        });
    }
}
