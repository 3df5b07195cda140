package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefusedRangesTests {

    private final RefusedRanges refused = new RefusedRanges(List.of(), List.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                // IPv4, first and last of each range
                "0.0.0.0",
                "0.255.255.255",
                "10.0.0.0",
                "10.255.255.255",
                "100.64.0.0",
                "100.127.255.255",
                "127.0.0.0",
                "127.0.0.1",
                "127.255.255.255",
                "169.254.0.0",
                "169.254.255.255",
                "172.16.0.0",
                "172.31.255.255",
                "192.0.0.0",
                "192.0.0.255",
                "192.0.2.0",
                "192.0.2.255",
                "192.88.99.0",
                "192.88.99.255",
                "192.168.0.0",
                "192.168.255.255",
                "198.18.0.0",
                "198.19.255.255",
                "198.51.100.0",
                "198.51.100.255",
                "203.0.113.0",
                "203.0.113.255",
                "224.0.0.0",
                "239.255.255.255",
                "240.0.0.0",
                "255.255.255.254",
                "255.255.255.255",
                // metadata and agents of clouds
                "169.254.169.254",
                "169.254.170.2",
                "100.100.100.200",
                "192.0.0.192",
                "168.63.129.16",
                "fd00:ec2::254",
                "fd20:ce::254",
                // IPv6: unspecified, loopback, local, multicast
                "::",
                "::1",
                "fe80::1",
                "febf:ffff::1",
                "fec0::1",
                "fc00::1",
                "fdff:ffff::1",
                "ff00::1",
                "ff02::1",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                // IPv4 in IPv6: mapped, compatible, translated
                "::ffff:127.0.0.1",
                "::ffff:7f00:1",
                "::ffff:10.1.2.3",
                "::ffff:169.254.169.254",
                "::127.0.0.1",
                "::10.0.0.1",
                "::8.8.8.8",
                "::ffff:0:127.0.0.1",
                "64:ff9b::127.0.0.1",
                "64:ff9b::8.8.8.8",
                "64:ff9b:1::1",
                "64:ff9b:1:ffff::10.0.0.1",
                "2002:7f00:1::",
                "2002:a00:1::1",
                "2002:808:808::1",
                // Teredo, protocol assignments, documentation, discard, segments
                "2001::1",
                "2001:0:53aa:64c:0:0:80ff:fffe",
                "2001:1ff:ffff::1",
                "2001:db8::1",
                "2001:db8:ffff::1",
                "3fff::1",
                "3fff:fff::1",
                "100::1",
                "100:0:0:1::1",
                "5f00::1",
                "4000::1",
                "1fff:ffff::1"
            })
    void addressesThatLeadInsideAreRefused(String address) {
        assertThat(refused.contains(address(address))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.1",
                "168.63.129.15",
                "168.63.129.17",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "191.255.255.255",
                "192.0.1.0",
                "192.0.3.0",
                "192.88.98.255",
                "192.88.100.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "198.51.99.255",
                "198.51.101.0",
                "203.0.112.255",
                "203.0.114.0",
                "223.255.255.255",
                "::ffff:8.8.8.8",
                "2001:200::1",
                "2001:4860:4860::8888",
                "2001:db7:ffff::1",
                "2001:db9::1",
                "2003::1",
                "2606:4700:4700::1111",
                "2a00:1450::1",
                "3ffe::1"
            })
    void addressesOfTheInternetAreNotRefused(String address) {
        assertThat(refused.contains(address(address))).isFalse();
    }

    /** Java makes IPv4 addresses of these, whatever they are read from; its constructor with a scope does not. */
    @Test
    void mappedAddressesAreCheckedAsIpv4EvenIfJavaDidNotUnwrapThem() throws UnknownHostException {
        byte[] mapped = new byte[16];
        mapped[10] = mapped[11] = -1;
        mapped[12] = 127;
        mapped[15] = 1;

        InetAddress address = java.net.Inet6Address.getByAddress("mapped", mapped, 0);

        assertThat(address.getAddress()).hasSize(16);
        assertThat(refused.contains(address)).isTrue();
        mapped[12] = mapped[15] = 8;
        assertThat(refused.contains(java.net.Inet6Address.getByAddress("mapped", mapped, 0)))
                .isFalse();
    }

    @Test
    void rangesMayBeAllowedAndFurtherOnesRefused() {
        RefusedRanges changed = new RefusedRanges(
                List.of(AddressRange.parse("10.1.0.0/16"), AddressRange.parse("::1")),
                List.of(AddressRange.parse("10.1.2.0/23"), AddressRange.parse("2a00:64:ff9b::/96")));

        assertThat(changed.contains(address("10.1.0.1"))).isFalse();
        assertThat(changed.contains(address("::ffff:10.1.0.1"))).isFalse();
        assertThat(changed.contains(address("::1"))).isFalse();
        assertThat(changed.contains(address("::2"))).isTrue();
        assertThat(changed.contains(address("10.2.0.1"))).isTrue();
        assertThat(changed.contains(address("10.1.3.255"))).isTrue();
        assertThat(changed.contains(address("10.1.4.0"))).isFalse();
        assertThat(changed.contains(address("2a00:64:ff9b::a00:1"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "::/129",
                "10.0.0.0/x",
                "10.0.0.0/",
                "example.com/8",
                "10/8",
                "127.1/8",
                "[::1]x/8",
                "1.2.3.4.5"
            })
    void otherTextsAreNoRanges(String text) {
        assertThatThrownBy(() -> AddressRange.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static InetAddress address(String text) {
        return Objects.requireNonNull(AddressLiteral.parse(text), text);
    }
}
