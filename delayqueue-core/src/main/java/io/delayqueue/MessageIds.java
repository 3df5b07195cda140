package io.delayqueue;

import java.util.concurrent.ThreadLocalRandom;

/** Makes ids that sort by time, and nonces. */
final class MessageIds {

    private static final char[] ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

    private MessageIds() {}

    /** 20 characters: 45 bits of milliseconds, 55 random bits. 20 is what fits the allocator's 24-byte class in Redis. */
    static String next() {
        char[] id = new char[20];
        write(id, 0, 9, System.currentTimeMillis());
        write(id, 9, 11, ThreadLocalRandom.current().nextLong());
        return new String(id);
    }

    /** 8 characters, 40 random bits: enough to tell apart the schedulings of one id. */
    static String nonce() {
        char[] nonce = new char[8];
        write(nonce, 0, 8, ThreadLocalRandom.current().nextLong());
        return new String(nonce);
    }

    private static void write(char[] target, int from, int length, long bits) {
        for (int i = from + length - 1; i >= from; i--) {
            target[i] = ALPHABET[(int) (bits & 31)];
            bits >>>= 5;
        }
    }
}
