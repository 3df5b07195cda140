package io.delayqueue.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The gateway as a program of its own. Its settings are those of {@code config/application.yml} beside it, of the environment, and of
 * arguments such as {@code --server.port=9000}. With {@code --demo} it needs no Redis and no configuration.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class DelayQueueServer {

    /** Runs until it gets a signal. */
    public static void main(String[] args) {
        application().run(args);
    }

    static SpringApplication application() {
        SpringApplication application = new SpringApplication(DelayQueueServer.class);
        application.addInitializers(new Demo());
        return application;
    }
}
