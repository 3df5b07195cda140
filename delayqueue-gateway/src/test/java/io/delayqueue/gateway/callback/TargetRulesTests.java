package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetRulesTests {

    private static final RefusedRanges REFUSED = new RefusedRanges(List.of(), List.of());

    /** Every host is allowed, so that nothing but the rule in question refuses. */
    private final TargetRules anyHost = new TargetRules(false, List.of("*"), Set.of(), REFUSED);

    private final TargetRules rules =
            new TargetRules(false, List.of("hooks.example.com", "*.partner.example"), Set.of(), REFUSED);

    @ParameterizedTest
    @ValueSource(
            strings = {
                // schemes
                "http://hooks.example.com/",
                "ftp://hooks.example.com/",
                "file:///etc/passwd",
                "gopher://127.0.0.1:6379/_x",
                "jar:https://hooks.example.com/a.jar!/",
                "https:hooks.example.com",
                "//hooks.example.com/",
                "/local",
                "",
                "https://",
                "https:///path",
                "javascript:alert(1)",
                // addresses of the inside, in the ways of the standards
                "https://127.0.0.1/",
                "https://127.255.255.254/",
                "https://0.0.0.0/",
                "https://10.0.0.1/",
                "https://169.254.169.254/latest/meta-data/",
                "https://100.64.0.1/",
                "https://192.168.1.1/",
                "https://[::]/",
                "https://[::1]/",
                "https://[::ffff:127.0.0.1]/",
                "https://[::ffff:7f00:1]/",
                "https://[::127.0.0.1]/",
                "https://[0:0:0:0:0:ffff:127.0.0.1]/",
                "https://[fe80::1]/",
                "https://[fe80::1%25eth0]/",
                "https://[fe80::1%eth0]/",
                "https://[fd00::1]/",
                "https://[fd00:ec2::254]/",
                "https://[ff02::1]/",
                "https://[64:ff9b::127.0.0.1]/",
                "https://[64:ff9b::a9fe:a9fe]/",
                "https://[2002:7f00:1::]/",
                "https://[2001::1]/",
                // and in the ways of inet_aton
                "https://2130706433/",
                "https://0x7f000001/",
                "https://0x7F.1/",
                "https://127.1/",
                "https://127.0.1/",
                "https://0177.0.0.1/",
                "https://017700000001/",
                "https://127.0.0.1./",
                "https://127.0.0.01/",
                "https://0/",
                "https://0x7f.0.0.0x1/",
                "https://256.256.256.256/",
                "https://1.2.3.4.5/",
                "https://example.1/",
                // users, ports, fragments
                "https://user@hooks.example.com/",
                "https://user:password@hooks.example.com/",
                "https://@hooks.example.com/",
                "https://hooks.example.com@127.0.0.1/",
                "https://127.0.0.1:443@hooks.example.com/",
                "https://hooks.example.com:22/",
                "https://hooks.example.com:80/",
                "https://hooks.example.com:8443/",
                "https://hooks.example.com:99999/",
                "https://hooks.example.com:x/",
                "https://hooks.example.com/#f",
                "https://hooks.example.com#@127.0.0.1/",
                "https://hooks.example.com/#",
                // where parsers differ
                "https://hooks.example.com\\@127.0.0.1/",
                "https://hooks.example.com\\.evil.example/",
                "https:\\\\127.0.0.1/",
                "https://hooks.example.com\t/",
                " https://hooks.example.com/",
                "https://hooks.example.com/ x",
                "https://hooks.example.com/\r\nHost: evil.example",
                "https://hooks.example.com/%",
                "https://hooks.example.com%00/",
                "https://hooks.example.com%2f@127.0.0.1/",
                "https://127.0.0.1%23.hooks.example.com/",
                "https://ⓛocalhost/",
                "https://127。0。0。1/",
                "https://１２７.0.0.1/",
                "https://hooks_example.com/",
                "https://-a.example.com/",
                "https://a..b/",
                "https://.example.com/",
                "https://example.com./",
                "https://[::1/",
                "https://::1/",
                "https://[v1.a]/",
                "https://[::1]127.0.0.1/",
                "https://{hooks}.example.com/",
                "https://a,b.example.com/",
                "https://*.example.com/"
            })
    void noCallbackIsSentThere(String url) {
        assertThatThrownBy(() -> anyHost.check(url)).isInstanceOf(TargetException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://hooks.example.com", "https://hooks.example.com/", "HTTPS://Hooks.Example.COM/a/b?c=d&e=%20f",
                "https://hooks.example.com:443/x", "https://a.partner.example/", "https://a.b.partner.example/"
            })
    void allowedHostsAreCalled(String url) {
        assertThat(rules.check(url)).hasToString(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example/", "https://hooks.example.com.evil.example/", "https://xhooks.example.com/",
                "https://a.hooks.example.com/", "https://partner.example/", "https://evilpartner.example/",
                "https://partner.example.evil/", "https://8.8.8.8/", "https://[2606:4700::1111]/"
            })
    void otherHostsAreNot(String url) {
        assertThatThrownBy(() -> rules.check(url))
                .isInstanceOf(TargetException.class)
                .hasMessageContaining("allowed hosts");
    }

    @Test
    void plainHttpAndOtherPortsHaveToBeAllowed() {
        TargetRules open = new TargetRules(true, List.of("*"), Set.of(80, 443, 8443), REFUSED);

        assertThat(open.check("http://hooks.example.com/")).hasPort(-1);
        assertThat(open.check("https://hooks.example.com:8443/")).hasPort(8443);
        assertThatThrownBy(() -> open.check("https://hooks.example.com:22/")).hasMessageContaining("port 22");
        assertThatThrownBy(() -> open.check("ftp://hooks.example.com/")).hasMessageContaining("http://");
        assertThat(open.check("https://8.8.8.8/")).hasHost("8.8.8.8");
    }

    @Test
    void anAddressMayBeAllowedByItsRangeAndItsHost() {
        RefusedRanges loopbackAllowed = new RefusedRanges(List.of(AddressRange.parse("127.0.0.1")), List.of());
        TargetRules own = new TargetRules(true, List.of("127.0.0.1"), Set.of(8080), loopbackAllowed);

        assertThat(own.check("http://127.0.0.1:8080/")).hasHost("127.0.0.1");
        assertThatThrownBy(() -> own.check("http://127.0.0.2:8080/")).isInstanceOf(TargetException.class);
    }

    @Test
    void aUrlThatIsTooLongIsRefused() {
        String longest = "https://hooks.example.com/" + "x".repeat(2_000 - 26);

        assertThat(rules.check(longest)).hasHost("hooks.example.com");
        assertThatThrownBy(() -> rules.check(longest + "x")).hasMessageContaining("2000");
    }

    @Test
    void theReasonDoesNotQuoteTheUrl() {
        assertThatThrownBy(() -> rules.check("https://user:secret@hooks.example.com/"))
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }
}
