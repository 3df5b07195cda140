package io.delayqueue.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts JVMs with the class path of a module.
 *
 * @param modules folder of the modules
 * @param log takes their standard error, appended
 */
record Jvms(Path modules, File log) {

    /** A JVM that runs a program of this module. */
    ProcessBuilder prepare(String module, List<String> options, List<String> program) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(module)));
        command.addAll(program);
        return new ProcessBuilder(command).redirectError(Redirect.appendTo(log));
    }

    String classPath(String module) {
        Path target = modules.resolve(module).resolve("target");
        try {
            return target.resolve("classes")
                    + File.pathSeparator
                    + Files.readString(target.resolve("class-path.txt")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("can't read the class path of " + module + ": build it first", e);
        }
    }
}
