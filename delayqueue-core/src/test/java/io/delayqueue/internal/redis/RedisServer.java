package io.delayqueue.internal.redis;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

/** One server for all tests of this JVM that do no harm to it. */
final class RedisServer {

    private static final EmbeddedRedis SERVER = DocumentedUser.on(
                    EmbeddedRedis.builder().setting("maxmemory-policy", "noeviction"))
            .start();
    private static final RedisClient CLIENT = RedisClient.create(DocumentedUser.uri(SERVER.uri()));
    private static final RedisClient ADMIN = RedisClient.create(SERVER.uri());
    private static final RedisCommands<String, String> COMMANDS =
            ADMIN.connect().sync();

    private RedisServer() {}

    /** The library's: it is the user of the documentation. */
    static RedisClient client() {
        return CLIENT;
    }

    static int port() {
        return SERVER.port();
    }

    /** For looking at things, and for doing what users do by hand. */
    static RedisCommands<String, String> commands() {
        return COMMANDS;
    }
}
