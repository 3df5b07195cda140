package io.delayqueue.spring.testsupport;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Waits that name no time of their own are long enough for a busy machine. Registered for all tests. */
public final class PatientWaitsExtension implements BeforeAllCallback {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(LONG_ENOUGH);
    }
}
