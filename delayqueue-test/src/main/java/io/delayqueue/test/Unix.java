package io.delayqueue.test;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Signals and sessions, which only Unix has. */
final class Unix {

    private static final boolean HERE = File.separatorChar == '/';
    private static final boolean SETSID = HERE && isOnPath("setsid");

    private Unix() {}

    static boolean isHere() {
        return HERE;
    }

    /**
     * The command in a session of its own where possible. So a Ctrl-C for the application does not end the server before the
     * application has shut down.
     */
    static List<String> detached(List<String> command) {
        if (!SETSID) {
            return command;
        }
        List<String> detached = new ArrayList<>(command);
        detached.add(0, "setsid");
        return detached;
    }

    static void signal(String name, long pid) {
        if (!HERE) {
            throw new UnsupportedOperationException("There are no signals on this operating system");
        }
        try {
            int code = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid)
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new EmbeddedRedisException("Can't send signal " + name + " to process " + pid);
            }
        } catch (IOException e) {
            throw new EmbeddedRedisException("Can't send signal " + name + " to process " + pid, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedRedisException("Interrupted while sending signal " + name + " to process " + pid, e);
        }
    }

    private static boolean isOnPath(String command) {
        String path = System.getenv("PATH");
        return path != null
                && Stream.of(path.split(File.pathSeparator))
                        .anyMatch(directory -> new File(directory, command).canExecute());
    }
}
