package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.security.BearerTokens;
import io.delayqueue.gateway.security.Callers;
import io.delayqueue.gateway.security.FirstOfCallers;
import io.delayqueue.gateway.security.ReloadedFile;
import io.delayqueue.gateway.security.RoleCallers;
import io.delayqueue.gateway.security.TokenFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/** Makes the callers of a gateway from its configuration. */
final class ConfiguredCallers {

    private static final String SECURITY_FILTER_CHAIN = "org.springframework.security.web.SecurityFilterChain";

    private ConfiguredCallers() {}

    /**
     * The callers that properties and Spring Security tell.
     *
     * @throws OpenGatewayException if there are none, or if an open gateway has some
     * @throws InvalidConfigurationPropertyValueException if a token is wrong
     */
    static Callers of(GatewayProperties properties, ListableBeanFactory beans) {
        List<Callers> ways = new ArrayList<>();
        try {
            if (!properties.getTokens().isEmpty()) {
                ways.add(BearerTokens.of(properties.getTokens()));
            }
        } catch (IllegalArgumentException e) {
            throw invalid("tokens", properties.getTokens().keySet(), e);
        }
        Path file = properties.getTokenFile();
        try {
            if (file != null) {
                ways.add(new TokenFile(file, ReloadedFile.INTERVAL));
            }
        } catch (IllegalArgumentException e) {
            throw invalid("token-file", file, e);
        }
        if (properties.isOpen()) {
            if (!ways.isEmpty()) {
                throw OpenGatewayException.withTokens();
            }
            return Callers.OPEN;
        }
        if (hasSpringSecurity(beans)) {
            ways.add(new RoleCallers());
        }
        if (ways.isEmpty()) {
            throw OpenGatewayException.withoutCallers();
        }
        return new FirstOfCallers(ways);
    }

    private static boolean hasSpringSecurity(ListableBeanFactory beans) {
        ClassLoader loader = ConfiguredCallers.class.getClassLoader();
        return ClassUtils.isPresent(SECURITY_FILTER_CHAIN, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(SECURITY_FILTER_CHAIN, loader), true, false)
                                .length
                        > 0;
    }

    private static InvalidConfigurationPropertyValueException invalid(
            String name, @Nullable Object value, IllegalArgumentException cause) {
        return new InvalidConfigurationPropertyValueException(
                "delayqueue.gateway." + name, value, String.valueOf(cause.getMessage()));
    }
}
