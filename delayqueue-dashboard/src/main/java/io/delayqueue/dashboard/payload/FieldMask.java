package io.delayqueue.dashboard.payload;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Tells which payload fields and headers are masked. Immutable. */
public final class FieldMask {

    /** Stands for a masked value. */
    public static final String MASKED = "******";

    private final Set<String> masked;
    private final Set<String> shown;

    /**
     * A mask.
     *
     * @param masked names of fields that are masked, in any case
     * @param shown names of the only fields that are shown, in any case; empty for all
     */
    public FieldMask(Collection<String> masked, Collection<String> shown) {
        this.masked = names(masked);
        this.shown = names(shown);
    }

    private static Set<String> names(Collection<String> names) {
        return names.stream().map(FieldMask::plain).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether any field is masked: then a payload without fields has to be hidden. */
    public boolean isSet() {
        return !masked.isEmpty() || !shown.isEmpty();
    }

    /** Whether the value of a header is hidden. */
    public boolean hides(String name) {
        return isMasked(name) || !isShown(name);
    }

    /** Whether this field, with all in it, is masked. */
    boolean isMasked(String field) {
        return masked.contains(plain(field));
    }

    /** Whether this field, with all in it, may be shown unless masked. */
    boolean isShown(String field) {
        return shown.isEmpty() || shown.contains(plain(field));
    }

    /** Whether values outside of any field may be shown. */
    boolean isRootShown() {
        return shown.isEmpty();
    }

    /** {@code api-key}, {@code api_key} and {@code apiKey} are the same. */
    private static String plain(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }
}
