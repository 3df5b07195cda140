package io.delayqueue.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Names the commit that a checkout was built from. */
final class Commit {

    private static final String UNKNOWN = "unknown commit";

    private Commit() {}

    /** {@code commit 0681f4e}; says if code was changed since. */
    static String of(Path checkout) {
        try {
            Process head = git(checkout, "rev-parse", "--short", "HEAD");
            String hash = head.inputReader().lines().findFirst().orElse("");
            if (head.waitFor() != 0) {
                return UNKNOWN;
            }
            // a run writes its report into docs, so changes there are its own
            boolean clean = git(checkout, "diff", "--quiet", "HEAD", "--", ":/", ":(top,exclude)docs")
                            .waitFor()
                    == 0;
            return "commit " + hash + (clean ? "" : " with changes");
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }

    /** Whether a line names one. */
    static boolean isName(String line) {
        return line.startsWith("commit ") || line.startsWith("baseline: ") || line.equals(UNKNOWN);
    }

    private static Process git(Path checkout, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git", "-C", checkout.toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).start();
    }
}
