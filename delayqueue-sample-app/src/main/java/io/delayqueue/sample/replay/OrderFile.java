package io.delayqueue.sample.replay;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads orders from CSV: order id, placed at, paid at or empty; the times as in {@code 2026-03-02T20:15:00.250Z}. The first
 * line is a heading; lines that begin with {@code #} and empty ones are passed over. Commas can't be quoted.
 */
final class OrderFile {

    private OrderFile() {}

    /**
     * All orders of a file, or of the resource of that name on the class path if there is no such file.
     *
     * @throws IllegalArgumentException for the first line that makes no sense; it says which
     */
    static List<RecordedOrder> read(String name) throws IOException {
        List<RecordedOrder> orders = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(open(name), StandardCharsets.UTF_8))) {
            boolean heading = true;
            int number = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                if (!heading) {
                    orders.add(parse(line, name + ", line " + number));
                }
                heading = false;
            }
        }
        return orders;
    }

    private static InputStream open(String name) throws IOException {
        Path file = Path.of(name);
        if (Files.exists(file)) {
            return Files.newInputStream(file);
        }
        InputStream resource = OrderFile.class.getResourceAsStream("/" + name);
        if (resource == null) {
            throw new FileNotFoundException(
                    "no file " + file.toAbsolutePath() + ", and nothing of that name inside the jar");
        }
        return resource;
    }

    private static RecordedOrder parse(String line, String where) {
        String[] columns = line.split(",", -1);
        if (columns.length != 3 || columns[0].isBlank()) {
            throw new IllegalArgumentException(where + ": expected order id, placed at, paid at, but found: " + line);
        }
        Instant placed = instant(columns[1], where);
        Instant paid = columns[2].isBlank() ? null : instant(columns[2], where);
        if (paid != null && paid.isBefore(placed)) {
            throw new IllegalArgumentException(where + ": paid before it was placed: " + line);
        }
        return new RecordedOrder(columns[0].trim(), placed, paid);
    }

    private static Instant instant(String text, String where) {
        try {
            return Instant.parse(text.trim());
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    where + ": expected a time such as 2026-03-02T20:15:00Z, but found: " + text, e);
        }
    }
}
