package io.delayqueue.spring.operator;

import io.delayqueue.DeadLetter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Takes ids and numbers out of errors, so that the same failure of many messages has one text. */
final class ErrorTexts {

    private static final int MAX_CHARS = 300;
    private static final int ID_BYTES = 8;
    private static final Pattern UUID =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
    private static final Pattern HEX = Pattern.compile("\\b0x[0-9a-fA-F]+\\b|\\b[0-9a-fA-F]{16,}\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,:]\\d+)*");

    private ErrorTexts() {}

    static String common(DeadLetter letter) {
        String line = letter.error().lines().findFirst().orElse("").strip();
        String text = letter.id().length() < 3 ? line : line.replace(letter.id(), "#");
        text = UUID.matcher(text).replaceAll("#");
        text = HEX.matcher(text).replaceAll("#");
        text = NUMBER.matcher(text).replaceAll("#");
        return text.length() <= MAX_CHARS ? text : text.substring(0, MAX_CHARS);
    }

    /** A short name without the text, which may quote a payload. */
    static String groupId(String common) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(common.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, ID_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
