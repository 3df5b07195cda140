package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import java.util.HashMap;
import java.util.Map;

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

    /** Lateness in ms since the begin of the schedule call and the delay: with {@code P50}, {@code P99}, {@code P999}, {@code Max}. */
    public static final String SINCE_CALL = "lateSinceCall";

    /** The same since the return of the schedule call and the delay. */
    public static final String SINCE_RETURN = "lateSinceReturn";

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
        if (client.number("allocated") > 0) { // Node does not tell
            figures.put(ALLOCATED, client.number("allocated") / messages);
        }
        return figures;
    }
}
