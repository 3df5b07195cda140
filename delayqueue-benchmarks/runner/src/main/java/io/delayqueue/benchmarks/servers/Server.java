package io.delayqueue.benchmarks.servers;

/** A running server that peers keep their messages in. */
public interface Server extends AutoCloseable {

    /** Where it is, in the form that its peers take. */
    String address();

    /** Name and version, with the settings that matter. */
    String description();

    /** Makes it empty. */
    void flush();

    /** What it has used so far. */
    Usage usage();

    /** Ends it. */
    @Override
    void close();
}
