package io.delayqueue.benchmarks.worker;

import java.util.List;
import java.util.stream.IntStream;

/** The topics of a command. */
final class Topics {

    private Topics() {}

    /** The topic {@code <topic>}; {@code <topic>-0} and so on if {@code topics} is there and more than one. */
    static List<String> of(Line command) {
        int topics = Integer.parseInt(command.values().getOrDefault("topics", "1"));
        String topic = command.text("topic");
        return topics == 1
                ? List.of(topic)
                : IntStream.range(0, topics).mapToObj(i -> topic + "-" + i).toList();
    }
}
