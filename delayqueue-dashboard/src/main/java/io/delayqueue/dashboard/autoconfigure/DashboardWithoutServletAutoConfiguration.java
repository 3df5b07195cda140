package io.delayqueue.dashboard.autoconfigure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Reports a dashboard that is enabled in an application without servlets, which it needs. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "delayqueue.dashboard.enabled")
public final class DashboardWithoutServletAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.dashboard");

    /** A web application without servlets. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class Reactive {

        @Bean
        SmartInitializingSingleton delayQueueDashboardNeedsServlets() {
            throw new ReactiveDashboardException();
        }
    }

    /** No web application: a job, perhaps, that has the same settings as one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnNotWebApplication
    static class NoWeb {

        @Bean
        SmartInitializingSingleton delayQueueDashboardNeedsTheWeb() {
            return () -> log.warn("delayqueue.dashboard.enabled is true, but this is no web application, so nothing is"
                    + " served: add spring-boot-starter-webmvc, or set it to false");
        }
    }
}
