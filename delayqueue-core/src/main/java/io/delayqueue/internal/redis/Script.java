package io.delayqueue.internal.redis;

import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The Lua scripts. Each has a file, whose header says what it takes and returns. */
enum Script {
    SCHEDULE(17, ScriptOutputType.MULTI),
    CLAIM(17, ScriptOutputType.MULTI),
    ACK(4, ScriptOutputType.MULTI),
    RETRY(17, ScriptOutputType.MULTI),
    EXTEND(4, ScriptOutputType.MULTI),
    RELEASE(17, ScriptOutputType.VALUE),
    OUTBOX(18, ScriptOutputType.MULTI),
    /** Takes one key, the last of a partition. */
    FORGET_APPLIED(1, ScriptOutputType.MULTI),
    SURVEY(17, ScriptOutputType.MULTI),
    DROP(17, ScriptOutputType.INTEGER),
    CORRECT_DUE(17, ScriptOutputType.INTEGER),
    EPOCH(1, ScriptOutputType.MULTI),
    CANCEL(17, ScriptOutputType.MULTI),
    RESCHEDULE(17, ScriptOutputType.MULTI),
    FIND(17, ScriptOutputType.MULTI),
    /** Takes its keys once for each partition. */
    STATS(17, ScriptOutputType.MULTI),
    DEAD_LETTERS(6, ScriptOutputType.MULTI),
    REDRIVE(17, ScriptOutputType.MULTI),
    PURGE(6, ScriptOutputType.MULTI),
    PENDING(17, ScriptOutputType.MULTI),
    PURGE_PENDING(17, ScriptOutputType.MULTI),
    IN_FLIGHT(4, ScriptOutputType.MULTI),
    COUNT_BY_TIME(17, ScriptOutputType.MULTI),
    DELETE_TOPIC(18, ScriptOutputType.VALUE),
    LIST_IDS(2, ScriptOutputType.MULTI),
    ORPHAN_SCAN(17, ScriptOutputType.MULTI),
    PARTITIONS(1, ScriptOutputType.MULTI),
    INSPECT(16, ScriptOutputType.MULTI),
    TIME(1, ScriptOutputType.INTEGER);

    private final int keyCount;
    private final ScriptOutputType output;
    private final byte[] source;
    private final String digest;

    Script(int keyCount, ScriptOutputType output) {
        this.keyCount = keyCount;
        this.output = output;
        this.source = ScriptSource.expand(fileName(), Script::load).getBytes(StandardCharsets.UTF_8);
        this.digest = sha1(source);
    }

    /** Its name in logs and metrics, such as {@code claim}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String fileName() {
        return label() + ".lua";
    }

    /** Number of a partition's keys that it takes. */
    int keyCount() {
        return keyCount;
    }

    ScriptOutputType output() {
        return output;
    }

    /** The text that EVAL sends, includes and all. */
    byte[] source() {
        return source;
    }

    /** SHA-1 of the source: its name for EVALSHA. */
    String digest() {
        return digest;
    }

    private static @Nullable String load(String file) {
        try (InputStream in = Script.class.getResourceAsStream("/io/delayqueue/lua/" + file)) {
            return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
