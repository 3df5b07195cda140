package io.delayqueue.jdbc.testsupport.database;

import java.util.Optional;

/** A server that has the databases of tests. */
interface DatabaseServer extends AutoCloseable {

    /** JDBC URL to create databases with. */
    String adminUrl();

    /** JDBC URL of one of its databases. */
    String url(String database);

    /** Stops it for a while, with its files; false if this is not the one who may. */
    default boolean stop() throws Exception {
        return false;
    }

    /** Starts it again, at the same address. */
    default void restart() throws Exception {
        throw new IllegalStateException("was not stopped");
    }

    /** Its main process, which starts all others; empty if these are not to be harmed by a test. */
    default Optional<ProcessHandle> mainProcess() throws Exception {
        return Optional.empty();
    }

    /** H2 in this JVM, with the user that Spring Boot takes for it. */
    record H2() implements DatabaseServer {

        @Override
        public String adminUrl() {
            return url("admin");
        }

        @Override
        public String url(String database) {
            return "jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000;USER=sa;PASSWORD=";
        }

        @Override
        public void close() {}
    }

    /** A server that the environment names. */
    record Named(String adminUrl) implements DatabaseServer {

        @Override
        public String url(String database) {
            return adminUrl.replaceFirst("(//[^/?]+/)[^?]*", "$1" + database);
        }

        @Override
        public void close() {}
    }
}
