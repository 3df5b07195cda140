package io.delayqueue.sample.replay;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads orders from a CSV file: order id, placed at, paid at or empty. Times are written as {@code 2026-03-02T20:15:00.250Z}.
 * The first line is a heading; empty lines and lines that begin with {@code #} are skipped. Commas can't be quoted.
 */
final class OrderFile {

    private OrderFile() {}

    /**
     * All orders of a file.
     *
     * @throws IllegalArgumentException names the first line that is not an order
     */
    static List<ReplayOrder> read(String name) throws IOException {
        List<ReplayOrder> orders = new ArrayList<>();
        try (BufferedReader reader = Files.newBufferedReader(existing(name))) {
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

    private static Path existing(String name) throws FileNotFoundException {
        Path file = Path.of(name);
        if (!Files.exists(file)) {
            throw new FileNotFoundException("no file " + file.toAbsolutePath());
        }
        return file;
    }

    private static ReplayOrder parse(String line, String where) {
        String[] columns = line.split(",", -1);
        if (columns.length != 3 || columns[0].isBlank()) {
            throw new IllegalArgumentException(where + ": expected order id, placed at, paid at, but found: " + line);
        }
        Instant placed = instant(columns[1], where);
        Instant paid = columns[2].isBlank() ? null : instant(columns[2], where);
        if (paid != null && paid.isBefore(placed)) {
            throw new IllegalArgumentException(where + ": paid before it was placed: " + line);
        }
        return new ReplayOrder(columns[0].trim(), placed, paid);
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
