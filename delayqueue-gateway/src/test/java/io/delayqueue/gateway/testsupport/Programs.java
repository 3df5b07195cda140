package io.delayqueue.gateway.testsupport;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Programs in other languages. A test whose program is missing is skipped, and says so; it fails if the environment variable
 * {@code DELAYQUEUE_REQUIRED_PROGRAMS} names the program, such as {@code boto3,node}.
 */
public final class Programs {

    private static final String REQUIRED = "DELAYQUEUE_REQUIRED_PROGRAMS";

    private Programs() {}

    /** A Python that has boto3: Debian's, or the first one on the path. */
    public static String pythonWithBoto3() throws InterruptedException {
        for (String python : List.of("/usr/bin/python3", "python3")) {
            if (works(python, "-c", "import boto3")) {
                return python;
            }
        }
        skip("boto3", "no Python here has boto3");
        return "";
    }

    /** Skips the test unless this command ends well. */
    public static void require(String... command) throws InterruptedException {
        if (!works(command)) {
            skip(command[0], "'" + String.join(" ", command) + "' does not work here");
        }
    }

    private static boolean works(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0) {
                return true;
            }
            process.destroyForcibly();
        } catch (IOException e) {
            // not there
        }
        return false;
    }

    /** A copy of a folder of Node programs with its dependencies. */
    public static Path installed(Path source, Path target) throws IOException, InterruptedException {
        require("node", "--version");
        require("npm", "--version");
        Files.createDirectories(target);
        // classes of tests run in several processes, and two of them need the same programs
        try (FileChannel channel =
                FileChannel.open(target.resolve("installing"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            // until the channel is closed
            channel.lock();
            install(source, target);
        }
        return target;
    }

    private static void install(Path source, Path target) throws IOException, InterruptedException {
        try (Stream<Path> files = Files.list(source)) {
            for (Path file : files.toList()) {
                byte[] bytes = Files.readAllBytes(file);
                Path copy = target.resolve(source.relativize(file));
                // a program of another process may be reading it
                if (!Files.exists(copy) || !Arrays.equals(Files.readAllBytes(copy), bytes)) {
                    Files.write(copy, bytes);
                }
            }
        }
        Path lock = target.resolve("node_modules/.package-lock.json");
        if (!Files.exists(lock)) {
            Process npm = new ProcessBuilder("npm", "ci", "--no-audit", "--no-fund")
                    .directory(target.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(target.resolve("npm.log").toFile())
                    .start();
            if (!npm.waitFor(3, TimeUnit.MINUTES) || npm.exitValue() != 0) {
                npm.destroyForcibly();
                skip("node", "npm can't install what " + source + " needs: see " + target.resolve("npm.log"));
            }
        }
    }

    /** Skips the test, or fails it if the environment requires the program. */
    public static void skip(String program, String reason) {
        String required = Objects.requireNonNullElse(System.getenv(REQUIRED), "");
        if (List.of(required.split(",")).contains(program)) {
            throw new AssertionError(reason + ", and " + REQUIRED + " requires " + program);
        }
        System.out.println("SKIPPED: " + reason);
        abort(reason);
    }

    /** Runs a program to its end, two minutes at most, and returns what it printed. */
    public static String run(List<String> command) throws InterruptedException {
        try {
            Path output = Files.createTempFile("program", ".log");
            try {
                ProcessBuilder builder =
                        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
                builder.environment().put("no_proxy", "127.0.0.1");
                // such as that of the SDK, on the end of Node's version
                builder.environment().put("NODE_NO_WARNINGS", "1");
                Process process = builder.start();
                boolean ended = process.waitFor(2, TimeUnit.MINUTES);
                process.destroyForcibly();
                return Files.readString(output).strip() + (ended ? "" : "\nKILLED after two minutes");
            } finally {
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
