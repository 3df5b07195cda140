package io.delayqueue.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.ChildJvm;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An {@link Application} in a JVM of its own. */
final class ChildApplication implements AutoCloseable {

    private final ChildJvm jvm;
    private final CountDownLatch stopped = new CountDownLatch(1);

    ChildApplication(String uri, Consumer<String> log) {
        jvm = ChildJvm.running(Application.class)
                .arguments(uri)
                .onLine(line -> read(line, log))
                .start();
    }

    private void read(String line, Consumer<String> log) {
        if (line.equals(Application.STOPPED)) {
            stopped.countDown();
        } else {
            log.accept(line);
        }
    }

    /** Makes it schedule no more; all its acknowledged messages are in the log when this returns. */
    void stopProducing() throws InterruptedException {
        jvm.writeLine("stop");
        assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
    }

    boolean isAlive() {
        return jvm.isAlive();
    }

    @Override
    public void close() throws InterruptedException {
        jvm.close();
    }
}
