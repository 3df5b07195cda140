package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.worker.Worker;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Starts JVMs with the class path of a module, and the workers of peers, one of which runs in Node.
 *
 * @param modules folder of the modules
 * @param log takes their standard error, appended
 */
record Jvms(Path modules, File log) {

    /** A JVM that runs a program of this module. */
    ProcessBuilder prepare(String module, List<String> options, List<String> program) {
        return prepare(Path.of(System.getProperty("java.home")), module, options, program);
    }

    private ProcessBuilder prepare(Path jdk, String module, List<String> options, List<String> program) {
        List<String> command = new ArrayList<>();
        command.add(jdk.resolve("bin/java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(module)));
        command.addAll(program);
        return new ProcessBuilder(command).redirectError(Redirect.appendTo(log));
    }

    /** A process that runs this peer. */
    ProcessBuilder prepareWorker(Contestant contestant) {
        if (contestant.isForNode()) {
            return NodeModule.of(this, contestant).prepare(contestant.adapter());
        }
        Path jdk = needsNewerJdk(contestant) ? NewerJdk.find().orElseThrow() : Path.of(System.getProperty("java.home"));
        return prepare(
                jdk, contestant.module(), List.of("-Xmx768m"), List.of(Worker.class.getName(), contestant.adapter()));
    }

    /** Why a contestant has no process; empty if it has one. */
    String missingFor(Contestant contestant) {
        if (needsNewerJdk(contestant) && NewerJdk.find().isEmpty()) {
            return NewerJdk.MISSING;
        }
        if (contestant.isForNode()) {
            return NodeModule.of(this, contestant).install().orElse("");
        }
        return "";
    }

    private static boolean needsNewerJdk(Contestant contestant) {
        return contestant.variant().startsWith(Contestants.NEWER_JDK);
    }

    /** The version of the JDK with virtual threads, if there is one. */
    static Optional<String> newerJdk() {
        return NewerJdk.find().map(NewerJdk::version);
    }

    /** The class path of a module: with the harness of this checkout, also where the module is another checkout's. */
    String classPath(String module) {
        Path target = modules.resolve(module).resolve("target");
        try {
            return modules.resolve("harness/target/classes")
                    + File.pathSeparator
                    + target.resolve("classes")
                    + File.pathSeparator
                    + Files.readString(target.resolve("class-path.txt")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("can't read the class path of " + module + ": build it first", e);
        }
    }
}
