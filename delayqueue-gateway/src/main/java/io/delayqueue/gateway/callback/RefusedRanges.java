package io.delayqueue.gateway.callback;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The addresses to which no request is sent, unless the configuration allows them. They are those of the machine, its networks and its
 * cloud, and those that lead there by translation. Thread-safe.
 */
final class RefusedRanges {

    private static final List<AddressRange> V4 = ranges(
            "0.0.0.0/8", // this network
            "10.0.0.0/8", // private
            "100.64.0.0/10", // shared by customers of a provider; metadata of one cloud
            "127.0.0.0/8", // loopback
            "168.63.129.16/32", // a cloud's agent of its machines
            "169.254.0.0/16", // link-local; metadata of most clouds
            "172.16.0.0/12", // private
            "192.0.0.0/24", // protocol assignments; metadata of one cloud
            "192.0.2.0/24", // documentation
            "192.88.99.0/24", // 6to4 relays
            "192.168.0.0/16", // private
            "198.18.0.0/15", // benchmarks
            "198.51.100.0/24", // documentation
            "203.0.113.0/24", // documentation
            "224.0.0.0/4", // multicast
            "240.0.0.0/4"); // reserved, and broadcast

    /** The only IPv6 addresses that are routed in the internet: loopback, local, translated and compatible ones are outside. */
    private static final AddressRange GLOBAL_UNICAST = AddressRange.parse("2000::/3");

    private static final List<AddressRange> GLOBAL_BUT_REFUSED = ranges(
            "2001::/23", // protocol assignments, Teredo among them
            "2001:db8::/32", // documentation
            "2002::/16", // 6to4: leads to an IPv4 address
            "3fff::/20"); // documentation

    private static final int V4_IN_V6 = 12;

    private final List<AddressRange> allowed;
    private final List<AddressRange> alsoRefused;

    /**
     * The built-in ranges, changed by the configuration.
     *
     * @param allowed ranges that are not refused
     * @param alsoRefused further ranges that are refused, such as a network's own prefix of NAT64; they take precedence
     */
    RefusedRanges(List<AddressRange> allowed, List<AddressRange> alsoRefused) {
        this.allowed = List.copyOf(allowed);
        this.alsoRefused = List.copyOf(alsoRefused);
    }

    /** Whether no request may be sent to this address. */
    boolean contains(InetAddress address) {
        return contains(address.getAddress());
    }

    private boolean contains(byte[] address) {
        byte[] bytes = isMapped(address) ? Arrays.copyOfRange(address, V4_IN_V6, address.length) : address;
        if (anyContains(alsoRefused, bytes)) {
            return true;
        }
        return !anyContains(allowed, bytes) && isRefusedByDefault(bytes);
    }

    private static boolean isRefusedByDefault(byte[] address) {
        if (address.length < V4_IN_V6) {
            return anyContains(V4, address);
        }
        return !GLOBAL_UNICAST.contains(address) || anyContains(GLOBAL_BUT_REFUSED, address);
    }

    /** Java itself makes IPv4 addresses of these; other sources of addresses need not. */
    private static boolean isMapped(byte[] address) {
        if (address.length <= V4_IN_V6 || address[10] != -1 || address[11] != -1) {
            return false;
        }
        for (int i = 0; i < 10; i++) {
            if (address[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean anyContains(List<AddressRange> ranges, byte[] address) {
        return ranges.stream().anyMatch(range -> range.contains(address));
    }

    private static List<AddressRange> ranges(String... texts) {
        return Stream.of(texts).map(AddressRange::parse).toList();
    }
}
