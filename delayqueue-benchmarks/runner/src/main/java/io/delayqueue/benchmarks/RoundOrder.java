package io.delayqueue.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Every other round is reversed. Two participants take turns to be first; of five or more, each round has another one first. */
final class RoundOrder {

    private RoundOrder() {}

    /** The participants in the order of a round. */
    static <T> List<T> of(List<T> participants, int round) {
        List<T> order = new ArrayList<>(participants);
        boolean reversed = round % 2 == 1;
        if (order.size() > 2) {
            Collections.rotate(order, round / 2 + (reversed ? order.size() / 2 : 0));
        }
        if (reversed) {
            Collections.reverse(order);
        }
        return order;
    }
}
