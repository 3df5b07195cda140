package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EnvelopeBenchmarkTests {

    @Test
    void theReplyMadeByHandIsStillOne() {
        assertThat(new EnvelopeBenchmark().decodeClaimReply().claimed()).hasSize(EnvelopeBenchmark.CLAIMED);
    }
}
