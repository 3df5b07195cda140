package io.delayqueue.jdbc.outbox;

/** Values of the header that is declared as business key, as its column keeps them. */
public final class BusinessKeys {

    /** Longest value in characters; longer ones are cut. */
    public static final int LONGEST = 255;

    private BusinessKeys() {}

    /** PostgreSQL's texts have no NUL. A cut must not leave half a character, which has no UTF-8. */
    public static String stored(String value) {
        String key = value;
        if (key.length() > LONGEST) {
            int end = Character.isHighSurrogate(key.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
            key = key.substring(0, end);
        }
        return key.replace('\0', '\ufffd');
    }
}
