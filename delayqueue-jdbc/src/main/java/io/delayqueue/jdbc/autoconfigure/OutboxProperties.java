package io.delayqueue.jdbc.autoconfigure;

import java.time.Duration;

/** Properties of the outbox. */
public class OutboxProperties {

    /**
     * Time after which relays send what an instance committed and did not send itself. Also the time within which a relay has to
     * send the rows that it claimed.
     */
    private Duration claimTimeout = Duration.ofSeconds(10);

    public Duration getClaimTimeout() {
        return claimTimeout;
    }

    public void setClaimTimeout(Duration claimTimeout) {
        this.claimTimeout = claimTimeout;
    }
}
