package io.delayqueue.jdbc.support;

/** Text that every database keeps as it is: neither NUL nor halves of characters, which would fail the rows beside it. */
public final class StorableText {

    private static final char REPLACEMENT = '\ufffd';

    private StorableText() {}

    /**
     * A text without what databases refuse, cut after a number of characters. A cut never leaves half a character.
     *
     * @param longest most {@code char}s of the result
     */
    public static String cut(String text, int longest) {
        int end = text.length();
        if (end > longest) {
            end = Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest;
        }
        StringBuilder storable = new StringBuilder(end);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1))) {
                storable.append(c).append(text.charAt(++i));
            } else {
                storable.append(c == 0 || Character.isSurrogate(c) ? REPLACEMENT : c);
            }
        }
        return storable.toString();
    }
}
