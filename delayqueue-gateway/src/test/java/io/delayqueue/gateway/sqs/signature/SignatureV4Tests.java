package io.delayqueue.gateway.sqs.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of AWS' published test suite and of AWS' signer in botocore. */
class SignatureV4Tests {

    private static final String KEY_ID = "AKIDEXAMPLE";
    private static final Map<String, String> SECRETS = Map.of(
            KEY_ID, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "team/eu", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
    private static final Instant SUITE = Instant.parse("2015-08-30T12:36:00Z");
    private static final Instant SQS = Instant.parse("2026-11-22T20:45:00Z");
    private static final String JSON =
            "{\"QueueUrl\":\"http://localhost:8080/000000000000/orders\",\"MessageBody\":\"grüße\"}";
    private static final String PRESIGNED = "Action=ReceiveMessage&AttributeName.1=All&x=a%20b%2Bc~"
            + "&X-Amz-Algorithm=AWS4-HMAC-SHA256"
            + "&X-Amz-Credential=AKIDEXAMPLE%2F20261122%2Feu-central-1%2Fsqs%2Faws4_request"
            + "&X-Amz-Date=20261122T204500Z&X-Amz-Expires=300&X-Amz-SignedHeaders=host"
            + "&X-Amz-Signature=343c63482800241ab8231ed075122f71ed09a842ba8c2fefb50f9134ba035b27";

    private final SignatureV4 signature = new SignatureV4(SECRETS::get);

    @Test
    void suiteGetVanilla() {
        SignedRequest request = request("GET", "/", null, "");
        assertThat(signature.verify(
                        suite(request, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"), SUITE))
                .isEqualTo(KEY_ID);
    }

    @Test
    void suiteGetVanillaQueryOrder() {
        SignedRequest request = request("GET", "/", "Param2=value2&Param1=value1", "");
        assertThat(signature.verify(
                        suite(request, "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"), SUITE))
                .isEqualTo(KEY_ID);
    }

    @Test
    void suitePostForm() {
        SignedRequest request =
                with(request("POST", "/", null, "Param1=value1"), "content-type", "application/x-www-form-urlencoded");
        request = with(request, "host", "example.amazonaws.com");
        request = with(request, "x-amz-date", "20150830T123600Z");
        request = with(
                request,
                "authorization",
                header(
                        "20150830/us-east-1/service",
                        "content-type;host;x-amz-date",
                        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"));
        assertThat(signature.verify(request, SUITE)).isEqualTo(KEY_ID);
    }

    @Test
    void jsonRequestToHostWithPort() {
        assertThat(signature.verify(sendMessage(), SQS)).isEqualTo(KEY_ID);
    }

    @Test
    void formWithSessionToken() {
        SignedRequest request = request("POST", "/", null, "Action=ListQueues&Version=2012-11-05");
        request = with(request, "content-type", "application/x-www-form-urlencoded; charset=utf-8");
        request = with(request, "x-amz-security-token", "session+token/=");
        request = sqs(
                request,
                "content-type;host;x-amz-date;x-amz-security-token",
                "8b09390b6eb6ce70ea397582e38ebe725fcb9581f37bd25759448ecc9ad9274d");
        assertThat(signature.verify(request, SQS)).isEqualTo(KEY_ID);
    }

    @Test
    void presignedUrlUntilItExpires() {
        SignedRequest request = with(request("GET", "/000000000000/orders", PRESIGNED, ""), "host", "localhost:8080");
        assertThat(signature.verify(request, SQS.plusSeconds(299))).isEqualTo(KEY_ID);
        assertRefused(SqsError.REQUEST_EXPIRED, request, SQS.plusSeconds(301));
    }

    @Test
    void keysAndScopesAreKeptWithinABound() {
        SigningKeys keys = new SigningKeys();
        for (int i = 0; i < 10_000; i++) {
            keys.key(KEY_ID, "secret", new Scope("20261122", "region-" + i, "sqs"));
        }
        byte[] first = keys.key(KEY_ID, "secret", new Scope("20261122", "region-0", "sqs"));
        assertThat(first).isEqualTo(new SigningKeys().key(KEY_ID, "secret", new Scope("20261122", "region-0", "sqs")));
        assertThat(keys.size()).isLessThanOrEqualTo(256);
    }

    @Test
    void secretThatWasReplacedIsNoLongerGood() {
        AtomicInteger calls = new AtomicInteger();
        SignatureV4 rotating = new SignatureV4(id -> calls.getAndIncrement() == 0 ? SECRETS.get(id) : "another");
        assertThat(rotating.verify(sendMessage(), SQS)).isEqualTo(KEY_ID);
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> rotating.verify(sendMessage(), SQS))
                .satisfies(e -> assertThat(e.error()).isEqualTo(SqsError.SIGNATURE_DOES_NOT_MATCH));
    }

    @Test
    void eachPartIsCovered() {
        SignedRequest sent = sendMessage();
        assertForged(new SignedRequest("PUT", sent.rawPath(), null, sent.headers(), sent.body()));
        assertForged(new SignedRequest("POST", "/000000000000/other", null, sent.headers(), sent.body()));
        assertForged(new SignedRequest("POST", sent.rawPath(), "Action=PurgeQueue", sent.headers(), sent.body()));
        assertForged(new SignedRequest("POST", sent.rawPath(), null, sent.headers(), new byte[0]));
        assertForged(with(sent, "host", "localhost"));
        assertForged(with(sent, "x-amz-target", "AmazonSQS.PurgeQueue"));
        assertForged(with(sent, "x-amz-date", "20261122T204501Z"));
    }

    @Test
    void headerOfTheActionMustBeSigned() {
        SignedRequest request = with(request("POST", "/", null, "{}"), "x-amz-target", "AmazonSQS.PurgeQueue");
        assertRefused(SqsError.INCOMPLETE_SIGNATURE, sqs(request, "host;x-amz-date", "0".repeat(64)), SQS);
    }

    @Test
    void clocksMayDifferBy15Minutes() {
        assertThat(signature.verify(sendMessage(), SQS.plus(Duration.ofMinutes(15))))
                .isEqualTo(KEY_ID);
        assertThat(signature.verify(sendMessage(), SQS.minus(Duration.ofMinutes(15))))
                .isEqualTo(KEY_ID);
        assertRefused(SqsError.REQUEST_EXPIRED, sendMessage(), SQS.plusSeconds(901));
        assertRefused(SqsError.REQUEST_EXPIRED, sendMessage(), SQS.minusSeconds(901));
    }

    @Test
    void unknownKey() {
        String authorization = sendMessage().header("authorization").replace(KEY_ID, "AKIDOTHER");
        assertRefused(SqsError.INVALID_CLIENT_TOKEN_ID, with(sendMessage(), "authorization", authorization), SQS);
    }

    @Test
    void accessKeyIdMayHaveASlash() {
        assertThat(Scope.parse("team/eu/20261122/eu-central-1/sqs/aws4_request").accessKeyId())
                .isEqualTo("team/eu");
    }

    @Test
    void unsignedRequest() {
        assertRefused(SqsError.MISSING_AUTHENTICATION_TOKEN, request("POST", "/", "Action=ListQueues", ""), SQS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer abc",
                "AWS4-HMAC-SHA256",
                "AWS4-HMAC-SHA256 Credential=",
                "AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=host, Signature=00",
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261122/eu-central-1/sqs/aws4_request, SignedHeaders=host",
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/eu-central-1/sqs/aws4_request, SignedHeaders=host;x-amz-date,"
                        + " Signature=00",
                "AWS4-HMAC-SHA256 ,,,==,="
            })
    void malformedHeader(String authorization) {
        SignedRequest request = with(request("POST", "/", null, ""), "host", "localhost:8080");
        request = with(with(request, "x-amz-date", "20261122T204500Z"), "authorization", authorization);
        assertRefused(SqsError.INCOMPLETE_SIGNATURE, request, SQS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yesterday", "20261322T204500Z", "20261122T204500", "+9999999991231T235959Z"})
    void malformedDate(String date) {
        assertRefused(SqsError.INCOMPLETE_SIGNATURE, with(sendMessage(), "x-amz-date", date), SQS);
    }

    private static SignedRequest sendMessage() {
        SignedRequest request = request("POST", "/000000000000/orders", null, JSON);
        request = with(request, "content-type", "application/x-amz-json-1.0");
        request = with(request, "x-amz-target", "AmazonSQS.SendMessage");
        return sqs(
                request,
                "content-type;host;x-amz-date;x-amz-target",
                "ec4c5096f9794dbbd6027795e517cc8e98d47361c22b2d526a53be82ca8c1b5a");
    }

    private void assertForged(SignedRequest request) {
        assertRefused(SqsError.SIGNATURE_DOES_NOT_MATCH, request, SQS);
    }

    private void assertRefused(SqsError error, SignedRequest request, Instant now) {
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> signature.verify(request, now))
                .satisfies(e -> assertThat(e.error()).isEqualTo(error));
    }

    private static SignedRequest suite(SignedRequest request, String signature) {
        SignedRequest signed = with(request, "host", "example.amazonaws.com");
        signed = with(signed, "x-amz-date", "20150830T123600Z");
        return with(signed, "authorization", header("20150830/us-east-1/service", "host;x-amz-date", signature));
    }

    private static SignedRequest sqs(SignedRequest request, String signedHeaders, String signature) {
        SignedRequest signed = with(request, "host", "localhost:8080");
        signed = with(signed, "x-amz-date", "20261122T204500Z");
        return with(signed, "authorization", header("20261122/eu-central-1/sqs", signedHeaders, signature));
    }

    private static String header(String scope, String signedHeaders, String signature) {
        return "AWS4-HMAC-SHA256 Credential=" + KEY_ID + "/" + scope + "/aws4_request, SignedHeaders=" + signedHeaders
                + ", Signature=" + signature;
    }

    private static SignedRequest request(String method, String path, @Nullable String query, String body) {
        return new SignedRequest(method, path, query, Map.of(), body.getBytes(StandardCharsets.UTF_8));
    }

    private static SignedRequest with(SignedRequest request, String name, String value) {
        Map<String, List<String>> headers = new HashMap<>(request.headers());
        headers.put(name, List.of(value));
        return new SignedRequest(request.method(), request.rawPath(), request.rawQuery(), headers, request.body());
    }
}
