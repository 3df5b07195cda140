package io.delayqueue.sample.journal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Loses everything that Redis has. Only the embedded one, never a Redis of yours. */
@RestController
@Profile("journal & !redis")
class WipeController {

    private static final Logger log = LoggerFactory.getLogger("shop");

    private final RedisConnectionFactory redis;

    WipeController(RedisConnectionFactory redis) {
        this.redis = redis;
    }

    @PostMapping("/journal/wipe-redis")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void wipe() {
        try (RedisConnection connection = redis.getConnection()) {
            connection.serverCommands().flushAll();
        }
        log.info("redis   is empty now");
    }
}
