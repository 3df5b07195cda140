package io.delayqueue.benchmarks.gateway;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs requests by Signature Version 4, with little effort of its own. For one thread. */
final class Signer {

    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final HexFormat HEX = HexFormat.of();

    private final MessageDigest sha256;
    private String day = "";
    private byte[] key = {};

    Signer() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The headers {@code X-Amz-Date} and {@code Authorization} of a POST, with line ends. */
    String headers(String path, String host, String target, byte[] body) {
        String now = TIMESTAMP.format(Instant.now());
        String date = now.substring(0, 8);
        String signed = target.isEmpty() ? "host;x-amz-date" : "host;x-amz-date;x-amz-target";
        String canonical = "POST\n" + path + "\n\nhost:" + host + "\nx-amz-date:" + now + "\n"
                + (target.isEmpty() ? "" : "x-amz-target:" + target + "\n") + "\n" + signed + "\n"
                + HEX.formatHex(sha256.digest(body));
        String scope = date + "/us-east-1/sqs/aws4_request";
        String text = "AWS4-HMAC-SHA256\n" + now + "\n" + scope + "\n"
                + HEX.formatHex(sha256.digest(canonical.getBytes(StandardCharsets.UTF_8)));
        if (!date.equals(day)) {
            byte[] step = ("AWS4" + GatewayServer.SECRET).getBytes(StandardCharsets.UTF_8);
            for (String part : new String[] {date, "us-east-1", "sqs", "aws4_request"}) {
                step = hmac(step, part);
            }
            key = step;
            day = date;
        }
        return "X-Amz-Date: " + now + "\r\nAuthorization: AWS4-HMAC-SHA256 Credential=" + GatewayServer.KEY + "/"
                + scope + ", SignedHeaders=" + signed + ", Signature=" + HEX.formatHex(hmac(key, text)) + "\r\n";
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
