package io.delayqueue.internal.redis;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

/** One server shared by all tests of this JVM that leave it unharmed. */
final class RedisServer {

    private static final EmbeddedRedis SERVER = DocumentedUser.on(
                    EmbeddedRedis.builder().setting("maxmemory-policy", "noeviction"))
            .start();
    private static final RedisClient CLIENT = RedisClient.create(DocumentedUser.uri(SERVER.uri()));
    private static final RedisClient ADMIN = RedisClient.create(SERVER.uri());
    private static final RedisCommands<String, String> COMMANDS =
            ADMIN.connect().sync();

    private RedisServer() {}

    /** A client that logs in as the user of the documentation, with no permission beyond the library's needs. */
    static RedisClient client() {
        return CLIENT;
    }

    static int port() {
        return SERVER.port();
    }

    /** Commands of an administrator, for looking at keys and changing them by hand. */
    static RedisCommands<String, String> commands() {
        return COMMANDS;
    }
}
