package io.delayqueue.spring.autoconfigure;

import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * Warns of properties of topics that Spring Boot binds to nothing, or to another topic. Boot takes a dot in a name that is not in
 * brackets for the end of the name, and drops other special characters.
 */
final class TopicPropertiesCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(TopicPropertiesCheck.class);

    private static final String PREFIX = "delayqueue.topics";

    private static final Pattern IN_BRACKETS = Pattern.compile("\\[[^]]*]");
    private static final Pattern DROPPED = Pattern.compile("[^A-Za-z0-9._-]");

    private final ConfigurableEnvironment environment;

    TopicPropertiesCheck(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        withDroppedCharacters()
                .forEach(name -> log.warn(
                        "Property {} does not apply to the topic it names: without brackets, special characters are dropped."
                                + " Put the topic's name in brackets, such as delayqueue.topics[orders/eu].max-pending",
                        name));
        unbound()
                .forEach(name -> log.warn(
                        "Property {} sets nothing. Put a topic's name with dots in brackets, such as"
                                + " delayqueue.topics[orders.eu].max-pending, or correct the name of the option",
                        name));
    }

    private Iterable<String> withDroppedCharacters() {
        TreeSet<String> found = new TreeSet<>();
        environment.getPropertySources().stream()
                .flatMap(source -> source instanceof EnumerablePropertySource<?> enumerable
                        ? Stream.of(enumerable.getPropertyNames())
                        : Stream.empty())
                .filter(name -> name.startsWith(PREFIX + ".")
                        && DROPPED.matcher(IN_BRACKETS.matcher(name).replaceAll(""))
                                .find())
                .forEach(found::add);
        return found;
    }

    private List<String> unbound() {
        try {
            Binder.get(environment)
                    .bind(
                            PREFIX,
                            Bindable.mapOf(String.class, DelayQueueProperties.Topic.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
            return List.of();
        } catch (BindException e) {
            return e.getCause() instanceof UnboundConfigurationPropertiesException unbound
                    ? unbound.getUnboundProperties().stream()
                            .map(property -> property.getName().toString())
                            .toList()
                    : List.of(); // other failures are those of the properties themselves
        }
    }
}
