package io.delayqueue.gateway.callback;

import java.net.InetAddress;

/**
 * A range of IP addresses of one family, as {@code 10.0.0.0/8} or {@code fc00::/7}.
 *
 * @param first its first address
 * @param prefixLength number of leading bits that all its addresses share
 */
record AddressRange(InetAddress first, int prefixLength) {

    AddressRange {
        int bits = Byte.SIZE * first.getAddress().length;
        if (prefixLength < 0 || prefixLength > bits) {
            throw new IllegalArgumentException(
                    "a prefix of " + first.getHostAddress() + " has 0 to " + bits + " bits, not " + prefixLength);
        }
    }

    /** The range of this text; a single address is a range, too. */
    static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        String literal = slash < 0 ? text : text.substring(0, slash);
        InetAddress first = AddressLiteral.parse(literal);
        if (first == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no range of IP addresses such as 10.0.0.0/8 or fc00::/7");
        }
        try {
            int prefix =
                    slash < 0 ? Byte.SIZE * first.getAddress().length : Integer.parseInt(text.substring(slash + 1));
            return new AddressRange(first, prefix);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the prefix length of '" + text + "' is no number", e);
        }
    }

    boolean contains(byte[] address) {
        byte[] own = first.getAddress();
        if (own.length != address.length) {
            return false;
        }
        int whole = prefixLength / Byte.SIZE;
        for (int i = 0; i < whole; i++) {
            if (own[i] != address[i]) {
                return false;
            }
        }
        int rest = prefixLength % Byte.SIZE;
        return rest == 0 || ((own[whole] ^ address[whole]) & 0xff) >>> (Byte.SIZE - rest) == 0;
    }
}
