package io.delayqueue.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An {@link Application} in a JVM of its own. */
final class ChildApplication implements AutoCloseable {

    private final Process process;
    private final CountDownLatch stopped = new CountDownLatch(1);

    ChildApplication(String uri, Consumer<String> log) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Application.class.getName(),
                        uri)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread reader = new Thread(() -> read(log), "child-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    private void read(Consumer<String> log) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals("stopped")) {
                    stopped.countDown();
                } else {
                    log.accept(line);
                }
            }
        } catch (IOException e) {
            log.accept("unreadable " + e);
        }
    }

    /** Schedules no more; all that it was acknowledged is in the log when this returns. */
    void stopProducing() throws IOException, InterruptedException {
        Writer input = process.outputWriter(StandardCharsets.UTF_8);
        input.write("stop\n");
        input.flush();
        assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }
}
