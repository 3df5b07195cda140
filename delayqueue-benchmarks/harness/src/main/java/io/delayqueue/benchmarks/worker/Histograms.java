package io.delayqueue.benchmarks.worker;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Encodes histograms as one line of text. */
public final class Histograms {

    private Histograms() {}

    static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /** Decodes a histogram that a worker sent. */
    public static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getUrlDecoder().decode(text)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
