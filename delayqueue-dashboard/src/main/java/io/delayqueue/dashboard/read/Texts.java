package io.delayqueue.dashboard.read;

/** Bounded texts. */
final class Texts {

    private Texts() {}

    /** The first characters of a text, no half ones. */
    static String first(String text, int chars) {
        if (text.length() <= chars) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(chars - 1)) ? chars - 1 : chars) + "…";
    }
}
