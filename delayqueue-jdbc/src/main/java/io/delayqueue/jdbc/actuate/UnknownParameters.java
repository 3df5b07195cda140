package io.delayqueue.jdbc.actuate;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/** Refuses requests to the journal's endpoint with parameters that it does not have: a misspelled topic would restore all topics. */
public final class UnknownParameters implements OperationInvokerAdvisor {

    private static final EndpointId JOURNAL = EndpointId.of("delayqueuejournal");

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(JOURNAL)) {
            return invoker;
        }
        Set<String> known = StreamSupport.stream(parameters.spliterator(), false)
                .map(OperationParameter::getName)
                .collect(Collectors.toSet());
        return context -> {
            Set<String> unknown = new TreeSet<>(context.getArguments().keySet());
            unknown.removeAll(known);
            if (!unknown.isEmpty()) {
                throw new InvalidEndpointRequestException(
                        "unknown parameters " + unknown, "The endpoint has no parameters " + unknown);
            }
            return invoker.invoke(context);
        };
    }
}
