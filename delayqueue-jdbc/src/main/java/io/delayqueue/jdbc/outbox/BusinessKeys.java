package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.support.StorableText;

/** Values of the header that is declared as business key, as its column keeps them. */
public final class BusinessKeys {

    /** Longest value in characters; longer ones are cut. */
    public static final int LONGEST = 255;

    private BusinessKeys() {}

    /** A value as it is stored, and searched for. */
    public static String stored(String value) {
        return StorableText.cut(value, LONGEST);
    }
}
