package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(EmbeddedRedisExtension.class)
class EmbeddedRedisExtensionTests {

    @RepeatedTest(3)
    @DisabledOnOs(OS.WINDOWS)
    void eachTestFindsTheServerUpAndEmpty(EmbeddedRedis redis, RepetitionInfo repetition) throws IOException {
        assertThat(InlineCommand.send(redis.port(), "DBSIZE")).startsWith(":0");

        InlineCommand.send(redis.port(), "SET fruit apple");
        switch (repetition.getCurrentRepetition()) {
            case 1 -> redis.pause();
            case 2 -> redis.kill();
            default -> assertThat(redis.isRunning()).isTrue();
        }
    }
}
