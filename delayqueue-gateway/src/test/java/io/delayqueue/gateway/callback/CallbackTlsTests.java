package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a server whose certificate is that of {@code hook.example}; every name has its address. */
class CallbackTlsTests {

    private static final char[] PASSWORD = "password".toCharArray();

    private final List<String> serverNames = new CopyOnWriteArrayList<>();
    private final List<String> hosts = new CopyOnWriteArrayList<>();
    private HttpsServer server;
    private SSLContext ssl;
    private CallbackClient client;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        ssl = context(folder.resolve("store.p12"));
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(ssl));
        server.createContext("/", exchange -> {
            ExtendedSSLSession session = (ExtendedSSLSession) ((HttpsExchange) exchange).getSSLSession();
            for (SNIServerName name : session.getRequestedServerNames()) {
                serverNames.add(new String(name.getEncoded(), java.nio.charset.StandardCharsets.US_ASCII));
            }
            hosts.add(exchange.getRequestHeaders().getFirst("Host"));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        client = client(ssl);
    }

    private static CallbackClient client(SSLContext ssl) {
        CheckedResolver resolver = new CheckedResolver(
                new EveryName(), new RefusedRanges(List.of(AddressRange.parse("127.0.0.1")), List.of()));
        // the first handshake loads many classes, and counts to the time for a connection
        CallbackTimeouts timeouts = new CallbackTimeouts(
                Duration.ofSeconds(25), Duration.ofSeconds(25), Duration.ofSeconds(30), Duration.ofMinutes(1));
        CallbackClient client = new CallbackClient(resolver, timeouts, 4, ssl);
        client.start();
        return client;
    }

    /** The tool makes a certificate that nobody else trusts. */
    private static SSLContext context(Path store) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "hook",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=hook.example",
                        "-ext",
                        "SAN=dns:hook.example",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "password",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store)) {
            keys.load(file, PASSWORD);
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("hook", keys.getCertificate("hook"));
        KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keyManagers.init(keys, PASSWORD);
        TrustManagerFactory trustManagers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trustManagers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keyManagers.getKeyManagers(), trustManagers.getTrustManagers(), null);
        return context;
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    private int call(String host) throws Exception {
        URI url = URI.create("https://" + host + ":" + server.getAddress().getPort() + "/");
        return client.send(new CallbackRequest("POST", url, Map.of(), new byte[0]))
                .get(30, TimeUnit.SECONDS)
                .status();
    }

    @Test
    void theCheckedAddressIsAskedForTheHostOfTheUrl() throws Exception {
        assertThat(call("hook.example")).isEqualTo(204);
        assertThat(serverNames).containsExactly("hook.example");
        assertThat(hosts).containsExactly("hook.example:" + server.getAddress().getPort());
    }

    @Test
    void aCertificateOfAnotherHostIsRefused() {
        assertThatThrownBy(() -> call("other.example")).hasCauseInstanceOf(SSLException.class);
        assertThat(hosts).isEmpty();
    }

    @Test
    void aCertificateThatNobodyTrustsIsRefused() {
        client.close();
        client = client(null);

        assertThatThrownBy(() -> call("hook.example")).hasCauseInstanceOf(SSLException.class);
        assertThat(hosts).isEmpty();
    }

    private static final class EveryName implements DnsResolver {

        @Override
        public InetAddress[] resolve(String host) {
            return new InetAddress[] {AddressLiteral.parse("127.0.0.1")};
        }

        @Override
        public String resolveCanonicalHostname(String host) {
            return host;
        }
    }
}
