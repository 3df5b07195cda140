package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckedResolverTests {

    private static final Map<String, List<String>> NAMES = Map.of(
            "good.example", List.of("8.8.8.8", "2606:4700::1111"),
            "mixed.example", List.of("8.8.8.8", "127.0.0.1"),
            "mixed6.example", List.of("8.8.8.8", "fd00::1"),
            "none.example", List.of());

    private final List<String> asked = new ArrayList<>();
    private final CheckedResolver resolver = new CheckedResolver(new Names(), new RefusedRanges(List.of(), List.of()));

    @Test
    void theAddressesThatWereCheckedAreThoseThatAreUsed() throws UnknownHostException {
        assertThat(resolver.resolve("good.example"))
                .extracting(InetAddress::getHostAddress)
                .containsExactly("8.8.8.8", "2606:4700:0:0:0:0:0:1111");
        assertThat(resolver.resolve("good.example", 443))
                .extracting(address -> address.getAddress().getHostAddress())
                .containsExactly("8.8.8.8", "2606:4700:0:0:0:0:0:1111");
        assertThat(asked).containsExactly("good.example", "good.example");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mixed.example", "mixed6.example"})
    void oneRefusedAddressRefusesTheHost(String host) {
        assertThatThrownBy(() -> resolver.resolve(host))
                .isInstanceOf(RefusedAddressException.class)
                .hasMessageContaining(host)
                .hasMessageNotContaining("127.0.0.1");
        assertThatThrownBy(() -> resolver.resolve(host, 443)).isInstanceOf(RefusedAddressException.class);
    }

    @Test
    void aHostWithoutAnAddressIsUnknown() {
        assertThatThrownBy(() -> resolver.resolve("none.example")).isInstanceOf(UnknownHostException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"127.0.0.1", "::1", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "[64:ff9b::1]"
            })
    void addressesInTheUrlAreCheckedAndNotAskedFor(String host) {
        assertThatThrownBy(() -> resolver.resolve(host)).isInstanceOf(RefusedAddressException.class);
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"2130706433", "0x7f000001", "0x7f.1", "127.1", "127.0.1", "017700000001", "0177.0.0.1", "0x"})
    void numbersThatOnlySomeLibrariesTakeForAddressesAreNotAskedFor(String host) {
        assertThatThrownBy(() -> resolver.resolve(host)).isInstanceOf(UnknownHostException.class);
        assertThat(asked).isEmpty();
    }

    @Test
    void theCanonicalNameIsTheHostItself() {
        assertThat(resolver.resolveCanonicalHostname("good.example")).isEqualTo("good.example");
        assertThat(asked).isEmpty();
    }

    private final class Names implements DnsResolver {

        @Override
        public InetAddress[] resolve(String host) {
            asked.add(host);
            return Objects.requireNonNull(NAMES.get(host)).stream()
                    .map(AddressLiteral::parse)
                    .flatMap(Stream::ofNullable)
                    .toArray(InetAddress[]::new);
        }

        @Override
        public String resolveCanonicalHostname(String host) {
            throw new AssertionError("another name of " + host + " would not be checked");
        }
    }
}
