package io.delayqueue.jdbc.plan;

import io.delayqueue.jdbc.Journal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.asm.ClassReader;

/**
 * The SQL that the journal's compiled classes have, in whole statements and in conditions that are added to one. It is there whether a
 * test runs it or not. The dialects have parts only, each for its database.
 */
final class StatementsOfTheCode {

    /** The constant pool's mark of a string. */
    private static final int STRING = 8;

    /** Marks a value in a string that is put together. */
    private static final Pattern VALUE = Pattern.compile("[\\x01\\x02]");

    private static final Pattern STATEMENT =
            Pattern.compile("(SELECT|INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|WITH) .*");

    private static final Pattern CONDITION = Pattern.compile(".* [=<>]+ \\?.*");

    private static final String DIALECTS = "dialect";

    private StatementsOfTheCode() {}

    /** Those that none of these statements is or has; values are marked by {@code …}. */
    static SortedSet<String> notAmong(Collection<String> ran) {
        SortedSet<String> left = new TreeSet<>();
        for (String text : texts()) {
            List<String> parts = List.of(VALUE.split(text, -1));
            boolean isStatement = STATEMENT.matcher(text).matches();
            if (ran.stream().noneMatch(sql -> hasInOrder(sql, parts, isStatement))) {
                left.add(VALUE.matcher(text).replaceAll("…"));
            }
        }
        return left;
    }

    /** Whether a statement, which may be long, has some parts one behind the other, and begins with the first one if it shall. */
    private static boolean hasInOrder(String sql, List<String> parts, boolean fromItsBeginning) {
        if (fromItsBeginning && !sql.startsWith(parts.get(0))) {
            return false;
        }
        int from = 0;
        for (String part : parts) {
            int found = sql.indexOf(part, from);
            if (found < 0) {
                return false;
            }
            from = found + part.length();
        }
        return true;
    }

    private static SortedSet<String> texts() {
        try (Stream<Path> files = Files.walk(Path.of(Journal.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI()))) {
            SortedSet<String> texts = new TreeSet<>();
            files.filter(file -> file.toString().endsWith(".class"))
                    .filter(file -> !file.getParent().endsWith(DIALECTS))
                    .forEach(file -> addTexts(file, texts));
            return texts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void addTexts(Path file, Collection<String> texts) {
        ClassReader reader;
        try {
            reader = new ClassReader(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        char[] buffer = new char[reader.getMaxStringLength()];
        for (int i = 1; i < reader.getItemCount(); i++) {
            int item = reader.getItem(i);
            // the second half of a long or double has no item
            if (item > 0 && reader.readByte(item - 1) == STRING) {
                String text = reader.readUTF8(item, buffer);
                if (STATEMENT.matcher(text).matches() || CONDITION.matcher(text).matches()) {
                    texts.add(text);
                }
            }
        }
    }
}
