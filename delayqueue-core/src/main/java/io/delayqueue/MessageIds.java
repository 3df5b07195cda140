package io.delayqueue;

import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * Generates message ids that sort by time, and nonces. Redis claims messages that are due together in the order of their ids, and finds
 * them sooner where they lie in its memory in that order.
 */
final class MessageIds {

    private static final char[] ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

    private static final Pattern NONCE = Pattern.compile("[0-9a-z]{8}");

    private static final int NANOS_IN_MILLI = 1_000_000;

    private MessageIds() {}

    /** An id of 20 characters: 45 bits of milliseconds, 20 of the nanoseconds in them, and 35 random bits. */
    static String next() {
        return of(Instant.now(), ThreadLocalRandom.current().nextLong());
    }

    /** Redis' allocator fits 20 characters into its class of 24 bytes. */
    static String of(Instant now, long random) {
        char[] id = new char[20];
        write(id, 0, 9, now.toEpochMilli());
        write(id, 9, 4, now.getNano() % NANOS_IN_MILLI);
        write(id, 13, 7, random);
        return new String(id);
    }

    /** A nonce of 8 characters, 40 random bits: enough to tell apart the schedule calls of one id. */
    static String nonce() {
        char[] nonce = new char[8];
        write(nonce, 0, 8, ThreadLocalRandom.current().nextLong());
        return new String(nonce);
    }

    /** Refuses a text that no call of {@link #nonce()} could make. */
    static String requireNonce(String text, String subject) {
        if (!NONCE.matcher(text).matches()) {
            throw new IllegalArgumentException(subject + " must be 8 digits and small letters, not '" + text + "'");
        }
        return text;
    }

    private static void write(char[] target, int from, int length, long bits) {
        for (int i = from + length - 1; i >= from; i--) {
            target[i] = ALPHABET[(int) (bits & 31)];
            bits >>>= 5;
        }
    }
}
