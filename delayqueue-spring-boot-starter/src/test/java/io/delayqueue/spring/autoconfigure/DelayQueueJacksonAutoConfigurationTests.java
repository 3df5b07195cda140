package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.JsonPayloadConverter;
import io.delayqueue.spring.PayloadConverter;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.json.JsonMapper;

class DelayQueueJacksonAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DelayQueueJacksonAutoConfiguration.class));

    @Test
    void converterUsesTheApplicationsMapper() {
        runner.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
                .withPropertyValues("spring.jackson.property-naming-strategy=SNAKE_CASE")
                .run(context -> assertThat(
                                context.getBean(PayloadConverter.class).toBytes(new Placed(1)))
                        .asString(StandardCharsets.UTF_8)
                        .isEqualTo("{\"order_number\":1}"));
    }

    @Test
    void converterWorksWithoutAMapperBean() {
        runner.run(context -> assertThat(context.getBean(PayloadConverter.class).toBytes(Map.of("at", Instant.EPOCH)))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"at\":\"1970-01-01T00:00:00Z\"}"));
    }

    @Test
    void converterBacksOffWhenUserDefinesOne() {
        runner.withBean(PayloadConverter.class, Reversing::new)
                .run(context -> assertThat(context)
                        .hasSingleBean(PayloadConverter.class)
                        .doesNotHaveBean(JsonPayloadConverter.class));
    }

    @Test
    void noConverterWithoutJackson() {
        runner.withClassLoader(new FilteredClassLoader(JsonMapper.class))
                .run(context -> assertThat(context).doesNotHaveBean(PayloadConverter.class));
    }

    @Test
    void noConverterWhenDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(PayloadConverter.class));
    }

    record Placed(int orderNumber) {}

    private static final class Reversing implements PayloadConverter {
        @Override
        public byte[] toBytes(Object payload) {
            return new StringBuilder(payload.toString()).reverse().toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object fromBytes(byte[] bytes, Type type) {
            return new StringBuilder(new String(bytes, StandardCharsets.UTF_8))
                    .reverse()
                    .toString();
        }
    }
}
