package io.delayqueue.benchmarks.servers;

/** A running server that stores the messages of peers. */
public interface Server extends AutoCloseable {

    /** Its address, in the form that its peers take. */
    String address();

    /** Name and version, with the settings that matter. */
    String description();

    /** Deletes all messages. */
    void flush();

    /** Deletes all messages, and keeps later ones so from the next connection on. */
    void keep(Durability durability);

    /** Its usage since its start. */
    Usage usage();

    /** Ends the server. */
    @Override
    void close();
}
