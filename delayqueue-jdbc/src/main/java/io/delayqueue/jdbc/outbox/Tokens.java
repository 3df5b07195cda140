package io.delayqueue.jdbc.outbox;

import java.util.concurrent.ThreadLocalRandom;

/** Random texts of 8 characters: 40 bits are enough to tell apart the changes of one id. */
final class Tokens {

    private static final char[] ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

    private Tokens() {}

    static String next() {
        long bits = ThreadLocalRandom.current().nextLong();
        char[] token = new char[8];
        for (int i = 0; i < token.length; i++) {
            token[i] = ALPHABET[(int) (bits & 31)];
            bits >>>= 5;
        }
        return new String(token);
    }
}
