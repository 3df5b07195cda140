package io.delayqueue.gateway.callback;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tells IP addresses from host names, without ever asking a name server. */
final class AddressLiteral {

    private static final String OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern V4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
    private static final Pattern V6 = Pattern.compile("(?=.*:)[0-9a-fA-F:][0-9a-fA-F:.]{1,44}");

    private AddressLiteral() {}

    /**
     * The address of a text as the standards write it: four decimal numbers, or IPv6 with or without brackets. Null for every other
     * text, among them the forms that only some libraries take for addresses, such as {@code 127.1}, {@code 0x7f000001},
     * {@code 017700000001} and zones.
     */
    static @Nullable InetAddress parse(String text) {
        boolean bracketed = text.startsWith("[") && text.endsWith("]");
        String bare = bracketed ? text.substring(1, text.length() - 1) : text;
        boolean isV6 = V6.matcher(bare).matches();
        if (!isV6 && (bracketed || !V4.matcher(bare).matches())) {
            return null;
        }
        try {
            // neither form is looked up
            return InetAddress.getByName(bare);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /**
     * Whether some library takes this host name for an IPv4 address, since its last label is a number: {@code 2130706433}, {@code 0x7f.1}.
     */
    static boolean looksLikeNumber(String host) {
        String last = host.substring(host.lastIndexOf('.') + 1);
        return last.matches("\\d+|0[xX][0-9a-fA-F]*");
    }
}
