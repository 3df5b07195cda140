package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.JsonPayloadConverter;
import io.delayqueue.spring.PayloadConverter;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of a {@link PayloadConverter} for JSON. Messages outlive the settings of an application, and other
 * applications read them, so its mapper is not the application's: it has Jackson's defaults, and the application's modules.
 */
@AutoConfiguration(after = JacksonAutoConfiguration.class)
@ConditionalOnClass(JsonMapper.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DelayQueueProperties.class)
public final class DelayQueueJacksonAutoConfiguration {

    /** Name or qualifier of a mapper for payloads. */
    public static final String JSON_MAPPER = "delayQueueJsonMapper";

    @Bean
    @ConditionalOnMissingBean(PayloadConverter.class)
    JsonPayloadConverter delayQueuePayloadConverter(
            DelayQueueProperties properties,
            @Qualifier(JSON_MAPPER) ObjectProvider<JsonMapper> ownMapper,
            ObjectProvider<JsonMapper> applicationMappers,
            ObjectProvider<JacksonModule> modules) {
        JsonMapper mapper = ownMapper.getIfAvailable();
        if (mapper == null && properties.getJson().isApplicationMapper()) {
            mapper = unique(applicationMappers);
        }
        return new JsonPayloadConverter(mapper != null ? mapper : mapper(modules));
    }

    private static JsonMapper mapper(ObjectProvider<JacksonModule> modules) {
        return JsonMapper.builder()
                .findAndAddModules(ClassUtils.getDefaultClassLoader())
                .addModules(modules.orderedStream().toList())
                .build();
    }

    private static JsonMapper unique(ObjectProvider<JsonMapper> mappers) {
        String problem = "there is no JsonMapper bean";
        try {
            JsonMapper mapper = mappers.getIfAvailable();
            if (mapper != null) {
                return mapper;
            }
        } catch (NoUniqueBeanDefinitionException e) {
            problem = "there are several JsonMapper beans and none is primary: " + e.getBeanNamesFound()
                    + "; mark one @Primary, or name one for payloads '" + JSON_MAPPER + "'";
        }
        throw new InvalidConfigurationPropertyValueException("delayqueue.json.application-mapper", true, problem);
    }
}
