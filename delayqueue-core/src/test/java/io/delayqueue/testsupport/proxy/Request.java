package io.delayqueue.testsupport.proxy;

import io.delayqueue.internal.redis.ScriptText;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A command in the protocol of Redis. */
public record Request(List<byte[]> words) {

    static Request of(String... words) {
        return new Request(List.of(words).stream()
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toList());
    }

    /** Matches commands of this name. */
    public static Predicate<Request> named(String command) {
        return request -> request.word(0).equalsIgnoreCase(command);
    }

    /** Matches calls of one of the library's scripts. */
    public static Predicate<Request> script(String name) {
        ScriptText script = ScriptText.of(name);
        return request -> request.word(0).equalsIgnoreCase("EVALSHA")
                        && request.word(1).equals(script.digest())
                || request.word(0).equalsIgnoreCase("EVAL") && request.word(1).equals(script.source());
    }

    /** Whether one of its words contains the text. */
    public boolean mentions(String text) {
        return IntStream.range(0, words.size()).anyMatch(index -> word(index).contains(text));
    }

    String word(int index) {
        return index < words.size() ? new String(words.get(index), StandardCharsets.UTF_8) : "";
    }

    /** Reads the next one; null at the end. */
    static @Nullable Request read(InputStream in) throws IOException {
        int type = in.read();
        if (type < 0) {
            return null;
        }
        if (type != '*') {
            throw new IOException("not a command: it begins with " + type);
        }
        int count = Integer.parseInt(line(in));
        List<byte[]> words = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            if (in.read() != '$') {
                throw new IOException("not a command");
            }
            int length = Integer.parseInt(line(in));
            byte[] word = in.readNBytes(length);
            if (word.length < length) {
                throw new EOFException();
            }
            line(in);
            words.add(word);
        }
        return new Request(words);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            line.append((char) c);
        }
        in.read();
        return line.toString();
    }

    void write(OutputStream out) throws IOException {
        out.write(ascii("*" + words.size() + "\r\n"));
        for (byte[] word : words) {
            out.write(ascii("$" + word.length + "\r\n"));
            out.write(word);
            out.write(ascii("\r\n"));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
