package io.delayqueue.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A folder with copies of the scripts of CI, and programs that take the place of Maven and Docker. */
final class Sandbox {

    /** All that the scripts need of the system. */
    private static final String[] TOOLS = {
        "awk", "bash", "cat", "chmod", "dirname", "env", "find", "flock", "grep", "mkdir", "mktemp", "mv", "rm"
    };

    private final Path root;
    private final Path bin;

    Sandbox(Path root) throws IOException {
        this.root = root;
        this.bin = Files.createDirectory(root.resolve("bin"));
        Files.createDirectory(root.resolve(".ci"));
        for (String tool : TOOLS) {
            program(bin.resolve(tool), "exec " + where(tool) + " \"$@\"");
        }
    }

    private static Path where(String tool) {
        for (String folder : System.getenv("PATH").split(":")) {
            Path path = Path.of(folder, tool);
            if (Files.isExecutable(path)) {
                return path;
            }
        }
        throw new IllegalStateException("no " + tool);
    }

    /** Copies a script of {@code .ci}. */
    void copy(String script) throws IOException {
        Path real = Path.of("..", ".ci", script);
        program(root.resolve(".ci").resolve(script), Files.readString(real));
    }

    /** Puts a program in the place of a script of {@code .ci}. */
    void script(String name, String text) throws IOException {
        program(root.resolve(".ci").resolve(name), text);
    }

    /** A command that only this folder has. */
    void command(String name, String text) throws IOException {
        program(bin.resolve(name), text);
    }

    private static void program(Path file, String text) throws IOException {
        Files.writeString(file, text.startsWith("#!") ? text : "#!/bin/bash\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    Path file(String name) {
        return root.resolve(name);
    }

    /** Runs a script to its end. */
    Result run(Map<String, String> variables, String script, String... arguments) throws Exception {
        String[] command = new String[arguments.length + 2];
        command[0] = where("bash").toString();
        command[1] = root.resolve(".ci").resolve(script).toString();
        System.arraycopy(arguments, 0, command, 2, arguments.length);
        Path output = root.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(root.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("DELAYQUEUE_"));
        builder.environment().put("PATH", bin.toString());
        builder.environment().put("DELAYQUEUE_SERVERS", root.resolve("servers").toString());
        builder.environment().putAll(variables);
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("still running: " + Files.readString(output));
        }
        return new Result(process.exitValue(), Files.readString(output));
    }

    /** How a script ended, and what it printed. */
    record Result(int status, String output) {}
}
