package io.delayqueue.spring.actuate;

import io.delayqueue.spring.annotation.DelayQueueListener;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.actuate.autoconfigure.audit.AuditAutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with the endpoint, audit events, a listener that fails and one that never ends. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = AuditAutoConfiguration.class)
class EndpointApplication {

    @Bean
    AuditEventRepository auditEvents() {
        return new InMemoryAuditEventRepository();
    }

    /** As Spring Boot defines it, but for the listeners of logins. */
    @Bean
    AuditListener auditListener(AuditEventRepository events) {
        return new AuditListener(events);
    }

    @Bean
    Listener listener() {
        return new Listener();
    }

    static class Listener {

        @DelayQueueListener(topic = "work", maxAttempts = "1")
        void on(String work) {
            throw new IllegalStateException("can't read " + work);
        }

        /** Until the application stops. */
        @DelayQueueListener(topic = "slow")
        void wait(String work) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }
}
