package io.delayqueue.jdbc.testsupport;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Launches programs in JVMs of their own, on the class path of the test. Their standard error is that of the test. */
public final class ChildJvm {

    /** For short-lived processes: starting fast matters, peak speed does not. */
    public static final String STARTS_FAST = "-XX:TieredStopAtLevel=1";

    private ChildJvm() {}

    /**
     * A JVM that runs the main method of this class.
     *
     * @param options options of the JVM, such as {@code -Xmx256m}
     */
    public static ProcessBuilder running(Class<?> mainClass, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
