package io.delayqueue.benchmarks.gateway;

/**
 * Processor time, which neighbours on the machine change less than rates.
 *
 * @param server microseconds of the server's process, its garbage collector included, but not its compilers
 * @param redis microseconds of its Redis
 */
record Cpu(double server, double redis) {

    /** Microseconds for each message since an earlier reading. */
    Cpu since(Cpu begin, long messages) {
        return new Cpu((server - begin.server) / messages, (redis - begin.redis) / messages);
    }

    @Override
    public String toString() {
        return String.format("CPU %5.0f + %3.0f µs", server, redis);
    }
}
