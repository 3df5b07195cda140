package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Histograms;
import io.delayqueue.benchmarks.worker.Line;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Names of figures, and their calculation. */
public final class Figures {

    /** Messages a second. */
    public static final String RATE = "rate";

    /** Processor time of the server, µs a message. */
    public static final String SERVER_CPU = "serverCpu";

    /** Commands that the server executed, including those inside scripts, a message. */
    public static final String COMMANDS = "commands";

    /** Calls of scripts, a message. */
    public static final String SCRIPTS = "scripts";

    /** Processor time of the client, µs a message. */
    public static final String CLIENT_CPU = "clientCpu";

    /** Bytes allocated by the client, a message. */
    public static final String ALLOCATED = "allocated";

    private Figures() {}

    /** The server's costs of a message. */
    static Map<String, Double> perMessage(Usage used, double messages) {
        Map<String, Double> figures = new HashMap<>();
        figures.put(SERVER_CPU, used.cpuMicros() / messages);
        if (used.commands() > 0) {
            figures.put(COMMANDS, used.commands() / messages);
            figures.put(SCRIPTS, used.scripts() / messages);
        }
        return figures;
    }

    /** The costs of a message for the server, and for the client that sent this answer. */
    static Map<String, Double> perMessage(Usage used, Line client, double messages) {
        Map<String, Double> figures = perMessage(used, messages);
        figures.put(CLIENT_CPU, client.number("cpu") / 1e3 / messages);
        figures.put(ALLOCATED, client.number("allocated") / messages);
        return figures;
    }

    /** The usual percentiles in ms, named with this prefix: those that a sample of this size has. */
    static Map<String, Double> percentiles(String prefix, Line answer, String key) {
        Histogram micros = Histograms.decode(answer.text(key));
        Map<String, Double> figures = new HashMap<>();
        figures.put(prefix + "P50", micros.getValueAtPercentile(50) / 1e3);
        if (micros.getTotalCount() >= 100) {
            figures.put(prefix + "P99", micros.getValueAtPercentile(99) / 1e3);
        }
        if (micros.getTotalCount() >= 1_000) {
            figures.put(prefix + "P999", micros.getValueAtPercentile(99.9) / 1e3);
        }
        figures.put(prefix + "Max", micros.getMaxValue() / 1e3);
        return figures;
    }
}
