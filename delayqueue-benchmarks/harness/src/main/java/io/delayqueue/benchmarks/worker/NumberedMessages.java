package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Outgoing;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** Creates messages with a number in payload and id, and reads it back. */
final class NumberedMessages {

    private static final int DIGITS = 10;
    private static final byte[] ID_START = "benchmark-".getBytes(StandardCharsets.US_ASCII);

    private NumberedMessages() {}

    static Outgoing message(String topic, int number, int payloadSize, Duration delay) {
        byte[] payload = new byte[Math.max(DIGITS, payloadSize)];
        Arrays.fill(payload, DIGITS, payload.length, (byte) 'x');
        write(number, payload, 0);
        byte[] id = Arrays.copyOf(ID_START, ID_START.length + DIGITS);
        write(number, id, ID_START.length);
        return new Outgoing(topic, new String(id, StandardCharsets.ISO_8859_1), payload, delay);
    }

    static int number(byte[] payload) {
        int number = 0;
        for (int i = 0; i < DIGITS; i++) {
            number = number * 10 + payload[i] - '0';
        }
        return number;
    }

    private static void write(int number, byte[] target, int from) {
        for (int i = from + DIGITS - 1; i >= from; i--) {
            target[i] = (byte) ('0' + number % 10);
            number /= 10;
        }
    }
}
