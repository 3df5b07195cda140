package io.delayqueue.sample;

import io.delayqueue.sample.replay.Replay;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;

/** Opens the shop; with {@code --replay=generated} replays a day of orders and ends. */
@SpringBootApplication
@EnableConfigurationProperties(SampleProperties.class)
public class SampleApplication {

    public static void main(String[] args) {
        ConfigurableApplicationContext context = SpringApplication.run(SampleApplication.class, args);
        if (context.getBean(SampleProperties.class).replay().isWanted()) {
            boolean nothingLost = context.getBean(Replay.class).run();
            System.exit(SpringApplication.exit(context, () -> nothingLost ? 0 : 1));
        }
    }
}
