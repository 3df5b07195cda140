package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.JsonPayloadConverter;
import io.delayqueue.spring.PayloadConverter;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

class DelayQueueJacksonAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DelayQueueJacksonAutoConfiguration.class));

    @Test
    void payloadsDoNotChangeWithTheApplicationsMapper() {
        runner.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
                .withPropertyValues(
                        "spring.jackson.property-naming-strategy=SNAKE_CASE",
                        "spring.jackson.default-property-inclusion=non_null",
                        "spring.jackson.deserialization.fail-on-unknown-properties=true")
                .run(context -> {
                    PayloadConverter converter = context.getBean(PayloadConverter.class);

                    assertThat(converter.toBytes(new Placed(1, null)))
                            .asString(StandardCharsets.UTF_8)
                            .isEqualTo("{\"orderNumber\":1,\"note\":null}");
                    assertThat(converter.fromBytes(
                                    "{\"orderNumber\":1,\"added\":2}".getBytes(StandardCharsets.UTF_8), Placed.class))
                            .isEqualTo(new Placed(1, null));
                });
    }

    @Test
    void applicationsMapperIsUsedIfThePropertySaysSo() {
        runner.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
                .withPropertyValues(
                        "spring.jackson.property-naming-strategy=SNAKE_CASE", "delayqueue.json.application-mapper=true")
                .run(context -> assertThat(
                                context.getBean(PayloadConverter.class).toBytes(new Placed(1, "n")))
                        .asString(StandardCharsets.UTF_8)
                        .isEqualTo("{\"order_number\":1,\"note\":\"n\"}"));
    }

    @Test
    void mapperOfTheDocumentedNameIsUsed() {
        runner.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
                .withUserConfiguration(OwnMapper.class)
                .run(context -> {
                    assertThat(context.getBean(PayloadConverter.class).toBytes(new Placed(1, "n")))
                            .asString(StandardCharsets.UTF_8)
                            .isEqualTo("{\"OrderNumber\":1,\"Note\":\"n\"}");
                    assertThat(context.getBean(JsonMapper.class))
                            .as("the application keeps its own")
                            .isNotSameAs(context.getBean("delayQueueJsonMapper"));
                });
    }

    @Test
    void modulesOfTheApplicationAreUsed() {
        SimpleModule module = new SimpleModule("own").addSerializer(Placed.class, new ToNumber());
        runner.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
                .withBean(JacksonModule.class, () -> module)
                .run(context -> assertThat(
                                context.getBean(PayloadConverter.class).toBytes(new Placed(1, "n")))
                        .asString(StandardCharsets.UTF_8)
                        .isEqualTo("1"));
    }

    @Test
    void severalMappersWithoutAPrimaryAreAnErrorThatNamesThem() {
        runner.withBean("one", JsonMapper.class, () -> JsonMapper.builder().build())
                .withBean("two", JsonMapper.class, () -> JsonMapper.builder().build())
                .withPropertyValues("delayqueue.json.application-mapper=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContainingAll("delayqueue.json.application-mapper", "one", "two", "@Primary"));
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

    record Placed(int orderNumber, @Nullable String note) {}

    private static final class ToNumber extends ValueSerializer<Placed> {
        @Override
        public void serialize(Placed placed, JsonGenerator json, SerializationContext context) {
            json.writeNumber(placed.orderNumber());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnMapper {

        @Bean(defaultCandidate = false)
        JsonMapper delayQueueJsonMapper() {
            return JsonMapper.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
                    .build();
        }
    }

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
