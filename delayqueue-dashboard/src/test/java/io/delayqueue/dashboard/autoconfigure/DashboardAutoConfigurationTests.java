package io.delayqueue.dashboard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.dashboard.DashboardProperties;
import io.delayqueue.dashboard.http.PageController;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueListenerAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueOperatorAutoConfiguration;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** When the dashboard is there. */
@ExtendWith(EmbeddedRedisExtension.class)
class DashboardAutoConfigurationTests {

    private WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    DelayQueueJacksonAutoConfiguration.class,
                    DelayQueueAutoConfiguration.class,
                    DelayQueueListenerAutoConfiguration.class,
                    DelayQueueOperatorAutoConfiguration.class,
                    DashboardAutoConfiguration.class,
                    DashboardWithoutServletAutoConfiguration.class));

    @BeforeEach
    void connect(EmbeddedRedis redis) {
        runner = runner.withPropertyValues("spring.data.redis.url=" + redis.uri());
    }

    @Test
    void isOffByDefault() {
        runner.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(PageController.class)
                .doesNotHaveBean(DashboardProperties.class));
    }

    @Test
    void withoutSpringSecurityItIsRefusedUnlessOpen() {
        runner.withPropertyValues("delayqueue.dashboard.enabled=true").run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("no Spring Security");
            assertThat(analysis.getAction()).contains("delayqueue.dashboard.open=true", "DELAYQUEUE_VIEWER");
        });
        runner.withPropertyValues("delayqueue.dashboard.enabled=true", "delayqueue.dashboard.open=true")
                .withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(PageController.class));
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void openDashboardSaysSoAtStart(CapturedOutput output) {
        runner = runner.withPropertyValues("delayqueue.dashboard.enabled=true", "delayqueue.dashboard.open=true");
        Logger logger = (Logger) LoggerFactory.getLogger("io.delayqueue.dashboard");
        logger.setLevel(Level.WARN);
        try {
            runner.run(context -> assertThat(output).contains("everyone who reaches /delayqueue sees all messages"));
            assertThat(output).doesNotContain("may change and delete them");
            runner.withPropertyValues("delayqueue.dashboard.write-enabled=true")
                    .run(context -> assertThat(output).contains("may change and delete them"));
        } finally {
            logger.setLevel(null);
        }
    }

    @Test
    void reactiveApplicationIsToldWhatToDo() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DashboardWithoutServletAutoConfiguration.class))
                .withPropertyValues("delayqueue.dashboard.enabled=true")
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(analysis(context.getStartupFailure()).getAction())
                            .contains("spring-boot-starter-webmvc");
                });
    }

    private static FailureAnalysis analysis(Throwable failure) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                // some of Spring Boot's need a bean factory
                .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failed) -> {}))
                .stream()
                .filter(analyzer -> analyzer.getClass().getName().startsWith("io.delayqueue.dashboard"))
                .map(analyzer -> analyzer.analyze(failure))
                .filter(found -> found != null)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "path=delayqueue",
                "path=/",
                "path=/a/",
                "path=/a b",
                "max-payload=0B",
                "max-payload=17MB",
                "max-nodes=0",
                "max-headers=-1",
                "read-timeout=99ms",
                "read-timeout=61s"
            })
    void valueOutOfRangeIsRefused(String property) {
        runner.withPropertyValues(
                        "delayqueue.dashboard.enabled=true",
                        "delayqueue.dashboard.open=true",
                        "delayqueue.dashboard." + property)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining(property.substring(0, property.indexOf('='))));
    }
}
