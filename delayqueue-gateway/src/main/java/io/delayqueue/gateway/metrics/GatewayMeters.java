package io.delayqueue.gateway.metrics;

import io.delayqueue.gateway.security.RefusedRequests;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.IntSupplier;

/**
 * Meters of an endpoint, in addition to Boot's {@code http.server.requests}.
 *
 * @param endpoint the endpoint's name
 * @param waiting number of requests that wait for messages
 * @param unsettled number of settlements and extensions that wait for Redis
 * @param refused requests that were refused because of a limit
 */
public record GatewayMeters(String endpoint, IntSupplier waiting, IntSupplier unsettled, RefusedRequests refused) {

    /** Adds the meters to a registry. Their number is fixed. */
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("delayqueue.gateway.waiting", waiting::getAsInt)
                .description("Requests that wait for messages in this process")
                .tag("endpoint", endpoint)
                .register(registry);
        Gauge.builder("delayqueue.gateway.unsettled", unsettled::getAsInt)
                .description("Settlements and extensions of leases that wait for Redis to answer")
                .tag("endpoint", endpoint)
                .register(registry);
        for (String error : refused.errors()) {
            FunctionCounter.builder("delayqueue.gateway.refused", refused, requests -> requests.count(error))
                    .description("Requests that this process refused because of a limit")
                    .tag("endpoint", endpoint)
                    .tag("error", error)
                    .register(registry);
        }
    }
}
