package io.delayqueue.benchmarks.peers.delayqueue;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

/**
 * A payload as applications have it, of about the wanted size as JSON.
 *
 * @param id the message's number
 * @param note fills it up
 * @param items 80 bytes each
 */
record Order(String id, String note, List<Item> items) {

    private static final int DIGITS = 10;
    private static final int BYTES_OF_EMPTY = 41;
    private static final int BYTES_OF_ITEM = 80;
    private static final Item ITEM = new Item("4006381333931", "A pen with black ink", 12, 199);

    /** An order as large as these bytes, which begin with the message's number. */
    static Order of(byte[] payload) {
        int left = Math.max(0, payload.length - BYTES_OF_EMPTY);
        int items = left < 2 * BYTES_OF_ITEM ? 0 : left / BYTES_OF_ITEM;
        return new Order(
                new String(payload, 0, DIGITS, StandardCharsets.ISO_8859_1),
                "x".repeat(left - items * BYTES_OF_ITEM),
                Collections.nCopies(items, ITEM));
    }

    /**
     * A line of an order.
     *
     * @param article number of the article
     * @param name for people
     * @param quantity pieces
     * @param cents price of a piece
     */
    record Item(String article, String name, int quantity, int cents) {}
}
