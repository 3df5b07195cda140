package io.delayqueue.soak;

import io.delayqueue.testsupport.fleet.Entry.What;
import io.delayqueue.testsupport.fleet.Fleet;
import java.util.concurrent.Future;

/** Signs, from others than the library, that a fault struck. */
final class Signs {

    private static final String UNUSED_KEY = "nobody reads this";

    private Signs() {}

    /** The identity of the server's process. */
    static String runId(Fleet fleet) {
        return info(fleet, "server", "run_id");
    }

    /** Number of calls that the server has refused with this error since its start. */
    static long errors(Fleet fleet, String error) {
        String value = info(fleet, "errorstats", "errorstat_" + error);
        return value.isEmpty() ? 0 : Long.parseLong(value.substring("count=".length()));
    }

    /** Number of stalls that a worker has reported. */
    static long stalls(Fleet fleet, Fleet.Member worker) {
        return fleet.entries(Soak.TOPIC).stream()
                .filter(entry -> entry.what() == What.STALLED && entry.worker().equals(worker.name()))
                .count();
    }

    /** Sends the server a command, and does not wait for the answer. */
    static Future<?> ask(Fleet fleet) {
        return fleet.redis().getStatefulConnection().async().ping();
    }

    /** Waits for the server's answer to a command that writes. */
    static void awaitAnswer(Fleet fleet) {
        fleet.redis().del(UNUSED_KEY);
    }

    private static String info(Fleet fleet, String section, String name) {
        return fleet.redis()
                .info(section)
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }
}
