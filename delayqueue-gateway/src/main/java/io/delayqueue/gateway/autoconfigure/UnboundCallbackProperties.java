package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.gateway.callback.CallbackProperties;
import io.delayqueue.gateway.callback.CallbackTopicProperties;
import io.delayqueue.gateway.callback.InvalidCallbackException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Refuses properties of callbacks that set nothing. Spring Boot takes a dot in the name of a topic or host for the end of the name, so
 * a callback, or a limit of it, would silently not be there.
 */
final class UnboundCallbackProperties {

    private UnboundCallbackProperties() {}

    /** @throws InvalidCallbackException if there is one */
    static void refuse(Environment environment) {
        Binder binder = Binder.get(environment);
        refuse(
                binder,
                "delayqueue.callbacks",
                Bindable.mapOf(String.class, CallbackTopicProperties.Topic.class),
                "delayqueue.callbacks[orders.eu].url");
        refuse(
                binder,
                "delayqueue.gateway.callbacks",
                Bindable.of(CallbackProperties.class),
                "delayqueue.gateway.callbacks.flows[hooks.example.com].rate");
    }

    private static void refuse(Binder binder, String prefix, Bindable<?> type, String example) {
        try {
            binder.bind(
                    prefix,
                    type,
                    new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        } catch (BindException e) {
            if (e.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
                for (ConfigurationProperty property : unbound.getUnboundProperties()) {
                    throw new InvalidCallbackException(
                            property.getName().toString(),
                            "it sets nothing: correct its name, and put names with dots in brackets, as in " + example);
                }
            }
            throw e;
        }
    }
}
