package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The calls of one pull consumer that wait for messages, in the order in which they came. Not thread-safe. */
final class ReceiveQueue {

    private final Set<WaitingReceive> waiting = new LinkedHashSet<>();
    private int asked;
    private int overdue;

    void add(WaitingReceive receive) {
        waiting.add(receive);
        asked += receive.max();
    }

    boolean contains(WaitingReceive receive) {
        return waiting.contains(receive);
    }

    int size() {
        return waiting.size();
    }

    /** Messages that all calls take together. */
    int asked() {
        return asked;
    }

    /** Returns false if the call does not wait. */
    boolean remove(WaitingReceive receive) {
        if (!waiting.remove(receive)) {
            return false;
        }
        asked -= receive.max();
        overdue -= receive.isOverdue() ? 1 : 0;
        receive.cancelAlarm();
        return true;
    }

    void setOverdue(WaitingReceive receive) {
        receive.setOverdue();
        overdue++;
    }

    List<WaitingReceive> removeOverdue() {
        return overdue == 0
                ? List.of()
                : removeAll(waiting.stream().filter(WaitingReceive::isOverdue).toList());
    }

    List<WaitingReceive> removeAll() {
        return removeAll(List.copyOf(waiting));
    }

    private List<WaitingReceive> removeAll(List<WaitingReceive> receives) {
        receives.forEach(this::remove);
        return receives;
    }

    /**
     * Distributes due messages, and removes the calls that get some. A suspect is alone in its answer: a receiver that handles one answer
     * after the other dies alone with it.
     */
    Distribution distribute(List<InFlightMessage> due) {
        List<Answer> answers = new ArrayList<>();
        List<InFlightMessage> unwanted = new ArrayList<>();
        int wanted = 0;
        for (InFlightMessage message : due) {
            if (message.isSuspect() || wanted == 0) {
                if (waiting.isEmpty()) {
                    unwanted.add(message);
                    continue;
                }
                WaitingReceive first = waiting.iterator().next();
                remove(first);
                answers.add(new Answer(first, new ArrayList<>()));
                wanted = message.isSuspect() ? 1 : first.max();
            }
            answers.get(answers.size() - 1).messages.add(message);
            wanted--;
        }
        return new Distribution(answers, unwanted);
    }

    /**
     * Messages for calls.
     *
     * @param unwanted for which there was no call
     */
    record Distribution(List<Answer> answers, List<InFlightMessage> unwanted) {}

    /** The messages of one call. */
    record Answer(WaitingReceive receive, List<InFlightMessage> messages) {

        /** Call it without a lock. */
        void send() {
            receive.answer(messages);
        }
    }
}
