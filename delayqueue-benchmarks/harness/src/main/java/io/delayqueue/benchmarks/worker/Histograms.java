package io.delayqueue.benchmarks.worker;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms as text, so that they fit a line. */
public final class Histograms {

    private Histograms() {}

    static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /** The histogram that a worker sent. */
    public static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getUrlDecoder().decode(text)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
