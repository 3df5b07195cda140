package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.JsonPayloadConverter;
import io.delayqueue.spring.PayloadConverter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** Auto-configuration of a {@link PayloadConverter} for JSON with the application's mapper. */
@AutoConfiguration(after = JacksonAutoConfiguration.class)
@ConditionalOnClass(JsonMapper.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
public final class DelayQueueJacksonAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(PayloadConverter.class)
    JsonPayloadConverter delayQueuePayloadConverter(ObjectProvider<JsonMapper> mappers) {
        return new JsonPayloadConverter(mappers.getIfUnique(
                () -> JsonMapper.builder().findAndAddModules().build()));
    }
}
