package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The result of scheduling for a while.
 *
 * @param answer what the process says of it
 * @param used what it cost the server
 * @param written bytes that were written to the disk; 0 if they were not asked for
 */
record Scheduled(Line answer, Usage used, long written) {

    /**
     * Schedules into an empty server with one process.
     *
     * @param mode threads × messages a call, such as {@code 8x1}
     */
    static Scheduled of(Lab lab, Contestant contestant, String mode, long millis) {
        return of(lab, contestant, mode, millis, () -> 0);
    }

    /** The same with the bytes that were written to the disk meanwhile. */
    static Scheduled of(Lab lab, Contestant contestant, String mode, long millis, LongSupplier writtenSoFar) {
        Server server = lab.server(contestant);
        WorkerProcess worker = lab.worker(contestant);
        lab.openOnEmpty(contestant, List.of(worker));
        Load.of(0, 100).batch(10).callOn(worker); // so that connections and scripts are there
        long writtenBefore = writtenSoFar.getAsLong();
        Usage before = server.usage();
        Line answer =
                Load.of(100, Integer.MAX_VALUE / 2).mode(mode).atMost(millis).callOn(worker);
        Usage used = server.usage().since(before);
        long written = writtenSoFar.getAsLong() - writtenBefore;
        worker.call("close");
        return new Scheduled(answer, used, written);
    }

    double count() {
        return answer.number("count");
    }

    /** Messages a second. */
    double rate() {
        return count() / (answer.number("nanos") / 1e9);
    }

    /** Its speed, and the costs of a message. */
    Map<String, Double> figures() {
        Map<String, Double> figures = Figures.perMessage(used, answer, count());
        figures.put(Figures.RATE, rate());
        return figures;
    }
}
