package io.delayqueue.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lines of a source file between the comments {@code tag::name[]} and {@code end::name[]}. Regions may nest and overlap.
 *
 * @param file the source file
 * @param name the region's name
 */
record SourceRegion(Path file, String name) {

    private static final Pattern MARK = Pattern.compile("\\s*(?://|#|<!--) (tag|end)::([\\w-]+)\\[](?: -->)?");

    /** The lines of the region, without common indentation, marks, and blank lines at either end. */
    List<String> lines() {
        List<String> region = new ArrayList<>();
        boolean inside = false;
        boolean found = false;
        for (String line : readFile()) {
            Matcher mark = MARK.matcher(line);
            if (!mark.matches()) {
                if (inside) {
                    region.add(line.stripTrailing());
                }
            } else if (mark.group(2).equals(name)) {
                inside = mark.group(1).equals("tag");
                found = true;
            }
        }
        if (!found || inside) {
            throw new IllegalArgumentException(file + " has no region " + name + ": it begins with tag::" + name
                    + "[] and ends with end::" + name + "[]");
        }
        return String.join("\n", region)
                .stripIndent()
                .replaceAll("^\n+|\n+$", "")
                .lines()
                .toList();
    }

    private List<String> readFile() {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("A document names a source file that can't be read: " + file, e);
        }
    }
}
