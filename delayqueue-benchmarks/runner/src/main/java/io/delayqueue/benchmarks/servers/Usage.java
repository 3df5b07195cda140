package io.delayqueue.benchmarks.servers;

/**
 * The resources that a server has used since its start.
 *
 * @param cpuMicros processor time of all its threads and processes
 * @param commands executed commands, including those inside scripts; 0 if the server doesn't count them
 * @param scripts script calls among the commands
 * @param memory used bytes, without reserves
 */
public record Usage(double cpuMicros, long commands, long scripts, long memory) {

    static final Usage NONE = new Usage(0, 0, 0, 0);

    /** The usage since an earlier one; memory may have shrunk. */
    public Usage since(Usage start) {
        return new Usage(
                cpuMicros - start.cpuMicros, commands - start.commands, scripts - start.scripts, memory - start.memory);
    }

    /** The sum of two servers' usage. */
    public Usage plus(Usage other) {
        return new Usage(
                cpuMicros + other.cpuMicros, commands + other.commands, scripts + other.scripts, memory + other.memory);
    }
}
