package io.delayqueue.benchmarks.servers;

/**
 * What a server has used so far.
 *
 * @param cpuMicros processor time of all its threads and processes
 * @param commands that it executed, those inside scripts included; 0 where it doesn't count them
 * @param scripts of these, calls of scripts
 * @param memory in bytes, without what merely is reserved
 */
public record Usage(double cpuMicros, long commands, long scripts, long memory) {

    /** What was used between the two; memory may have shrunk. */
    public Usage since(Usage start) {
        return new Usage(
                cpuMicros - start.cpuMicros, commands - start.commands, scripts - start.scripts, memory - start.memory);
    }

    /** Of several servers together. */
    public Usage plus(Usage other) {
        return new Usage(
                cpuMicros + other.cpuMicros, commands + other.commands, scripts + other.scripts, memory + other.memory);
    }
}
