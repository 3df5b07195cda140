package io.delayqueue.internal.redis;

import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The Lua scripts: a file each, whose header says what it takes and returns. */
enum Script {
    SCHEDULE(16, ScriptOutputType.MULTI),
    CLAIM(16, ScriptOutputType.MULTI),
    ACK(4, ScriptOutputType.VALUE),
    RETRY(16, ScriptOutputType.MULTI),
    EXTEND(4, ScriptOutputType.MULTI),
    RELEASE(16, ScriptOutputType.VALUE),
    CANCEL(16, ScriptOutputType.VALUE),
    RESCHEDULE(16, ScriptOutputType.MULTI),
    FIND(16, ScriptOutputType.MULTI),
    /** Takes its keys once for each partition. */
    STATS(16, ScriptOutputType.MULTI),
    DEAD_LETTERS(6, ScriptOutputType.MULTI),
    REDRIVE(16, ScriptOutputType.MULTI),
    PURGE(6, ScriptOutputType.INTEGER),
    RECOVER(16, ScriptOutputType.MULTI),
    LAYOUT(1, ScriptOutputType.MULTI),
    INSPECT(16, ScriptOutputType.MULTI),
    TIME(1, ScriptOutputType.INTEGER);

    private final int keyCount;
    private final ScriptOutputType output;
    private final byte[] source;
    private final String digest;

    Script(int keyCount, ScriptOutputType output) {
        this.keyCount = keyCount;
        this.output = output;
        this.source = load(fileName());
        this.digest = sha1(source);
    }

    /** Its name for people, such as {@code claim}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String fileName() {
        return label() + ".lua";
    }

    /** How many of a partition's keys it takes. */
    int keyCount() {
        return keyCount;
    }

    ScriptOutputType output() {
        return output;
    }

    byte[] source() {
        return source;
    }

    /** What EVALSHA calls it. */
    String digest() {
        return digest;
    }

    private static byte[] load(String file) {
        try (InputStream in = Script.class.getResourceAsStream("/io/delayqueue/lua/" + file)) {
            if (in == null) {
                throw new IllegalStateException("delayqueue-core's jar lacks the script " + file);
            }
            return in.readAllBytes();
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
