package io.delayqueue.gateway.sqs.protocol;

/** The characters that XML, and so a message of SQS, can have. */
public final class MessageCharacters {

    private MessageCharacters() {}

    /** Whether all characters of a text are allowed. */
    public static boolean areAllowed(String text) {
        int i = 0;
        while (i < text.length()) {
            int c = text.codePointAt(i);
            if (!isAllowed(c)) {
                return false;
            }
            i += Character.charCount(c);
        }
        return true;
    }

    static boolean isAllowed(int c) {
        return c == '\t'
                || c == '\n'
                || c == '\r'
                || c >= 0x20 && c <= 0xD7FF
                || c >= 0xE000 && c <= 0xFFFD
                || c >= 0x10000 && c <= 0x10FFFF;
    }
}
