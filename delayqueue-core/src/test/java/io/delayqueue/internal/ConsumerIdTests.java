package io.delayqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConsumerIdTests {

    private static final long PID_OF_CONTAINERS = 1;

    @Test
    void consumersOfAProcessDifferAndShareTheirInstance() {
        String first = ConsumerId.create();
        String second = ConsumerId.create();

        assertThat(first).isNotEqualTo(second);
        assertThat(ConsumerId.instanceOf(first))
                .isEqualTo(ConsumerId.instanceOf(second))
                .endsWith(":" + ProcessHandle.current().pid());
    }

    @Test
    void podsWithLongNamesThatDifferAtTheEndAreTwoInstances() {
        String deployment = "payment-reconciliation-of-marketplace-orders-7d9f8b6c5d-";

        assertThat(ConsumerId.instance(deployment + "x2k4j", PID_OF_CONTAINERS))
                .isNotEqualTo(ConsumerId.instance(deployment + "b7m9q", PID_OF_CONTAINERS));
    }

    @Test
    void anIdHasOnlyCharactersThatRedisKeepsApart() {
        assertThat(ConsumerId.instance("a host:with {braces}", 7)).isEqualTo("a_host_with__braces_:7");
    }

    @Test
    void anotherProgramsIdIsItsInstance() {
        assertThat(ConsumerId.instanceOf("worker")).isEqualTo("worker");
    }
}
