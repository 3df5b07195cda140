package io.delayqueue.benchmarks.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An executable file.
 *
 * @param path of the file
 */
record Program(Path path) {

    /** Finds a program: in this environment variable, on the PATH, or in an unpacked Debian package. */
    static Optional<Program> find(String variable, String name, Path unpacked) {
        String chosen = System.getenv(variable);
        Stream<Path> candidates = chosen != null && !chosen.isBlank()
                ? Stream.of(Path.of(chosen))
                : Stream.concat(
                        Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, name)),
                        Stream.of(unpacked.resolve("usr/bin").resolve(name)));
        return candidates.filter(Files::isExecutable).findFirst().map(Program::new);
    }

    Process run(String... arguments) {
        List<String> command = new ArrayList<>(List.of(path.toString()));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first line of its output. */
    String firstLine(String... arguments) {
        List<String> command = new ArrayList<>(List.of(path.toString()));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String line = process.inputReader().lines().findFirst().orElse("");
            process.waitFor(5, TimeUnit.SECONDS);
            return line.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
