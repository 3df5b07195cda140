package io.delayqueue;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * Generates message ids and nonces. The ids of a process ascend, even within a millisecond: Redis claims messages that are due together in
 * the order of their ids, and finds them sooner if they lie in its memory in that order. Thread-safe.
 */
final class MessageIds {

    private static final char[] ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

    private static final Pattern NONCE = Pattern.compile("[0-9a-z]{8}");

    /** Of an id: enough to tell apart those that all processes generate in the same millisecond. */
    private static final int RANDOM_BITS = 55;

    /** Of the distance to the next id of a millisecond: hard to guess, and a millisecond has room for millions of steps. */
    private static final int STEP_BITS = 30;

    private static final MessageIds OF_THIS_PROCESS = new MessageIds(0, 0);

    private final ReentrantLock lock = new ReentrantLock();
    private long millis;
    private long random;

    /** The ids above this one. */
    MessageIds(long millis, long random) {
        this.millis = millis;
        this.random = random;
    }

    /** An id of 20 characters: 45 bits of milliseconds, 55 random bits. Redis' allocator fits 20 into its class of 24 bytes. */
    static String next() {
        return OF_THIS_PROCESS.next(System.currentTimeMillis());
    }

    /** An id above the last one: it keeps that one's millisecond if the clock was set back, and begins the next one if that is full. */
    String next(long now) {
        long bits = ThreadLocalRandom.current().nextLong();
        char[] id = new char[20];
        lock.lock();
        try {
            advance(now, bits);
            write(id, 0, 9, millis);
            write(id, 9, 11, random);
        } finally {
            lock.unlock();
        }
        return new String(id);
    }

    private void advance(long now, long bits) {
        long next = random + 1 + (bits >>> Long.SIZE - STEP_BITS);
        boolean isFull = next >>> RANDOM_BITS != 0;
        if (now > millis || isFull) {
            millis = Math.max(now, millis + 1);
            next = bits >>> Long.SIZE - RANDOM_BITS;
        }
        random = next;
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
