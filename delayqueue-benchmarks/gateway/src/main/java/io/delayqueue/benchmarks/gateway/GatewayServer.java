package io.delayqueue.benchmarks.gateway;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** The gateway, which checks signatures. Arguments: port, and URL of Redis. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class GatewayServer {

    static final String KEY = "AKID";
    static final String SECRET = "a-secret-of-some-length";
    static final String TOKEN = "a-token-of-some-length";

    public static void main(String[] args) {
        SpringApplication.run(
                GatewayServer.class,
                "--spring.main.banner-mode=off",
                "--server.address=127.0.0.1",
                "--server.port=" + args[0],
                // Tomcat ends a connection after 100 requests
                "--server.tomcat.max-keep-alive-requests=-1",
                "--spring.data.redis.url=" + args[1],
                "--delayqueue.gateway.enabled=true",
                "--delayqueue.gateway.tokens.bench.sha256=" + sha256(TOKEN),
                "--delayqueue.gateway.tokens.bench.rights=produce,consume",
                "--delayqueue.gateway.tokens.bench.topics=*",
                "--delayqueue.gateway.sqs.enabled=true",
                "--delayqueue.gateway.sqs.keys." + KEY + ".secret=" + SECRET,
                "--delayqueue.gateway.sqs.keys." + KEY + ".rights=produce,consume,operate",
                "--delayqueue.gateway.sqs.keys." + KEY + ".topics=*");
    }

    private static String sha256(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
