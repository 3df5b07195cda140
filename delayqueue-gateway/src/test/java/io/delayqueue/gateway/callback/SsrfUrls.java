package io.delayqueue.gateway.callback;

import java.util.List;
import java.util.stream.Stream;

/** URLs that lead to this machine or its networks, or would with one library or another. */
final class SsrfUrls {

    private SsrfUrls() {}

    /** URLs that name no host which could be resolved; {@code port} is open on this machine. */
    static List<String> literals(int port) {
        Stream<String> hosts = Stream.of(
                "127.0.0.1",
                "127.1",
                "127.0.0.1.",
                "0",
                "0.0.0.0",
                "2130706433",
                "0x7f000001",
                "0x7f.0.0.1",
                "0177.0.0.1",
                "017700000001",
                "10.0.0.1",
                "172.16.0.1",
                "192.168.0.1",
                "169.254.169.254",
                "168.63.129.16",
                "100.100.100.200",
                "192.0.0.192",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "[::]",
                "[::1]",
                "[::127.0.0.1]",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[::ffff:0:127.0.0.1]",
                "[64:ff9b::127.0.0.1]",
                "[64:ff9b:1::7f00:1]",
                "[2002:7f00:1::]",
                "[2001:0:7f00:1::]",
                "[fc00::1]",
                "[fd00:ec2::254]",
                "[fe80::1]",
                "[fe80::1%25lo]",
                "[fec0::1]",
                "[ff02::1]",
                "[100::1]");
        Stream<String> others = Stream.of(
                "http://hook.example@127.0.0.1:" + port + "/",
                "http://127.0.0.1:" + port + "@hook.example:" + port + "/",
                "http://user:secret@hook.example:" + port + "/",
                "http://hook.example:22/",
                "http://hook.example:6379/",
                "http://hook.example:" + port + "/#@127.0.0.1",
                "http://hook.example\\@127.0.0.1:" + port + "/",
                "http://hook.example%00.evil.test:" + port + "/",
                "http://hook.example\t:" + port + "/",
                "http:127.0.0.1:" + port,
                "//127.0.0.1:" + port + "/",
                "ftp://hook.example/",
                "file:///etc/passwd",
                "gopher://127.0.0.1:" + port + "/_x",
                "jar:http://127.0.0.1:" + port + "/a.jar!/",
                "http://ⓗook.example:" + port + "/",
                "http://127。0。0。1:" + port + "/",
                "http:///127.0.0.1:" + port + "/",
                "http://[::1:" + port + "/",
                "");
        return Stream.concat(hosts.map(host -> "http://" + host + ":" + port + "/"), others)
                .toList();
    }
}
