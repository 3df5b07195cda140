package io.delayqueue.docs.containers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.testcontainers.DockerClientFactory;

/** Where tests with containers must run, their being skipped is a failure. */
class DockerEngineTests {

    @Test
    @EnabledIfEnvironmentVariable(
            named = "DELAYQUEUE_TEST_DOCKER",
            matches = "required",
            disabledReason = "DELAYQUEUE_TEST_DOCKER is not 'required'")
    void dockerEngineIsThereWhereItIsRequired() {
        assertThat(DockerClientFactory.instance().isDockerAvailable()).isTrue();
    }
}
