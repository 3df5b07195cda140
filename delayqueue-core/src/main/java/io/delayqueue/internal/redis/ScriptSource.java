package io.delayqueue.internal.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The text of a script, with its includes. A line {@code --@include name} stands for the code of {@code include/name.lua},
 * the first time that the script or one of its includes names it. The code becomes a single line, so that the line numbers
 * in Redis' error messages are those of the script's own file, and an error in an include is reported at its directive.
 *
 * <p>Redis runs a script from its first line at each call, and so makes each of its functions anew. A step that is seldom
 * needed (folder {@code include/step}) is therefore included in the branch that needs it, where it costs nothing otherwise;
 * the names that it introduces are known in that branch only.
 */
final class ScriptSource {

    private static final String DIRECTIVE = "--@include ";
    private static final String COMMENT = "--";

    private final Function<String, @Nullable String> files;
    private final List<String> included = new ArrayList<>();
    private final List<String> underWay = new ArrayList<>();

    private ScriptSource(Function<String, @Nullable String> files) {
        this.files = files;
    }

    /**
     * Expands a script.
     *
     * @param file its name, such as {@code claim.lua}
     * @param files returns a file's text, or null if there is no such file
     */
    static String expand(String file, Function<String, @Nullable String> files) {
        ScriptSource source = new ScriptSource(files);
        source.underWay.add(file);
        return source.read(file)
                .lines()
                .map(line -> line.strip().startsWith(DIRECTIVE) ? source.include(line.strip()) : line)
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private String include(String directive) {
        String file = "include/" + directive.substring(DIRECTIVE.length()).strip() + ".lua";
        if (underWay.contains(file)) {
            throw new IllegalStateException("script includes itself: " + String.join(" -> ", underWay) + " -> " + file);
        }
        if (included.contains(file)) {
            return "";
        }
        included.add(file);
        underWay.add(file);
        String code = read(file)
                .lines()
                .map(String::strip)
                .map(line -> line.startsWith(DIRECTIVE) ? include(line) : code(file, line))
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" "));
        underWay.remove(underWay.size() - 1);
        return code;
    }

    /** A comment would hide all code behind it, once that is on the same line. */
    private static String code(String file, String line) {
        if (line.startsWith(COMMENT)) {
            return "";
        }
        if (line.contains(COMMENT)) {
            throw new IllegalStateException(file + " has a comment behind code: " + line);
        }
        return line;
    }

    private String read(String file) {
        String text = files.apply(file);
        if (text == null) {
            throw new IllegalStateException("delayqueue-core's jar lacks " + file + ", needed by " + underWay.get(0));
        }
        return text;
    }
}
