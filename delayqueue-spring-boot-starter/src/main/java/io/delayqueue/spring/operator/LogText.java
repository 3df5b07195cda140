package io.delayqueue.spring.operator;

/** Text from outside as a log line may hold it: short, and without characters that end a line or turn its direction. */
final class LogText {

    private static final int MAX_CHARS = 100;
    private static final int MAX_ERROR_CHARS = 500;

    private LogText() {}

    /** A name, up to 100 characters of it. */
    static String of(String name) {
        return of(name, MAX_CHARS);
    }

    /** An error, up to 500 characters of it. */
    static String ofError(String error) {
        return of(error, MAX_ERROR_CHARS);
    }

    private static String of(String text, int most) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(most).forEach(c -> line.appendCodePoint(isPlain(c) ? c : '?'));
        return text.codePointCount(0, text.length()) > most ? line.append('…').toString() : line.toString();
    }

    private static boolean isPlain(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
