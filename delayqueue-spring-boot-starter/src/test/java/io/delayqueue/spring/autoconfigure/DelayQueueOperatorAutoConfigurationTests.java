package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.operator.AuditedOperations;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.testsupport.Contexts;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.TestSocketUtils;

class DelayQueueOperatorAutoConfigurationTests {

    private final ApplicationContextRunner runner = Contexts.runner(TestSocketUtils.findAvailableTcpPort());

    @Test
    void operatorIsDefinedAndAudited() {
        runner.run(context ->
                assertThat(context).hasSingleBean(DelayQueueOperator.class).hasSingleBean(AuditedOperations.class));
    }

    @Test
    void operatorWorksWithoutAudit() {
        runner.withClassLoader(new FilteredClassLoader(AuditApplicationEvent.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(DelayQueueOperator.class)
                        .doesNotHaveBean(AuditedOperations.class));
    }

    @Test
    void noOperatorWhenDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(DelayQueueOperator.class));
    }
}
