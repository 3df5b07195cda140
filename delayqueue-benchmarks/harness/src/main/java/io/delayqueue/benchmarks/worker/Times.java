package io.delayqueue.benchmarks.worker;

import java.nio.ByteBuffer;
import java.util.Base64;

/** Encodes points in time, in µs since the epoch, as one word. */
public final class Times {

    private Times() {}

    static String encode(long[] times) {
        ByteBuffer buffer = ByteBuffer.allocate(times.length * Long.BYTES);
        buffer.asLongBuffer().put(times);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(buffer.array());
    }

    /** Decodes what a worker sent. */
    public static long[] decode(String word) {
        ByteBuffer buffer = ByteBuffer.wrap(Base64.getUrlDecoder().decode(word));
        long[] times = new long[buffer.capacity() / Long.BYTES];
        buffer.asLongBuffer().get(times);
        return times;
    }
}
