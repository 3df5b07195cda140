package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that no controller carries out: each gets problem details nevertheless. */
@ExtendWith(EmbeddedRedisExtension.class)
class RefusedRequestsTests {

    private static Gateway gateway;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(redis, "delayqueue.gateway.max-body=2KB");
    }

    @AfterAll
    static void close() {
        gateway.close();
    }

    private static void assertProblem(Reply reply, int status, String code) {
        assertThat(reply.status()).as("%s", reply).isEqualTo(status);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:" + code);
    }

    @ParameterizedTest
    @CsvSource({"GET,/", "GET,/topic", "POST,/topics/orders/message", "DELETE,/claims", "PUT,/topics/a/b/c/d", "GET,"})
    void unknownPathIs404(String method, String path) throws Exception {
        assertProblem(gateway.send(method, path == null ? "" : path), 404, "no-such-path");
    }

    @Test
    void otherMethodIs405AndNamesThoseOfThePath() throws Exception {
        Reply reply = gateway.send("PUT", "/topics/orders/messages/o1", "{}");

        assertProblem(reply, 405, "method-not-allowed");
        assertThat(reply.header("Allow")).isEqualTo("DELETE, GET, PATCH");
        assertThat(gateway.send("OPTIONS", "/topics/orders/claims").header("Allow"))
                .isEqualTo("POST");
    }

    @Test
    void otherTypesAreAcceptedByTheClientInVain() throws Exception {
        Reply reply = gateway.send("GET", "/topics", "", "Accept", "text/html");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("application/json");
        Reply unreadable = gateway.send("GET", "/topics", "", "Accept", "///");
        assertProblem(unreadable, 406, "not-acceptable");
        assertThat(unreadable.json().get("field").stringValue()).isEqualTo("Accept");
    }

    @ParameterizedTest
    @CsvSource({
        "POST,text/plain",
        "POST,application/x-www-form-urlencoded",
        "PATCH,application/x-www-form-urlencoded",
        "DELETE,application/x-www-form-urlencoded",
        "POST,multipart/form-data; boundary=x",
        "POST,application/jsonp",
        "POST,*/*",
        "POST,x"
    })
    void otherTypeOfABodyIs415(String method, String type) throws Exception {
        Reply reply = gateway.send(method, "/topics/orders/messages?id=a", "{\"payload\": 1}", "Content-Type", type);

        assertProblem(reply, 415, "unsupported-media-type");
        assertThat(reply.json().get("field").stringValue()).isEqualTo("Content-Type");
    }

    @Test
    void bodyThatIsTooLargeIs413HoweverItComes() throws Exception {
        String body = "{\"payload\": \"" + "x".repeat(3_000) + "\"}";
        Reply reply = gateway.send("POST", "/topics/orders/claims", body);
        assertProblem(reply, 413, "body-too-large");
        assertThat(reply.json().get("field").stringValue()).isEqualTo("body");

        try (RawConnection connection = new RawConnection(gateway.port())) {
            connection.send("POST /delayqueue/v1/topics/orders/messages HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n");
            assertThat(connection.readHead()).startsWith("HTTP/1.1 413").contains("application/problem+json");
        }
        assertThat(gateway.client().stats("orders").totals().accepted()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/topics/a%20b,topic",
        "GET,/topics/%7Ba%7D/messages/a,topic",
        "POST,/topics/a%20b/claims,topic",
        "GET,/topics/orders/messages,id",
        "DELETE,/topics/orders/messages?id=,id",
        "GET,/topics/a%20b/messages?id=x,topic"
    })
    void nameThatCantBeOneIsNamed(String method, String path, String field) throws Exception {
        Reply reply = gateway.send(method, path);

        assertProblem(reply, 400, "invalid-request");
        assertThat(reply.json().get("field").stringValue()).isEqualTo(field);
    }

    @Test
    void malformedQueryIs400() throws Exception {
        try (RawConnection connection = new RawConnection(gateway.port())) {
            connection.send("GET /delayqueue/v1/topics/orders/messages?id=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(connection.readHead()).startsWith("HTTP/1.1 400").contains("application/problem+json");
        }
    }

    @Test
    void withoutAJournalThereAreNoStories() throws Exception {
        assertProblem(gateway.send("GET", "/topics/orders/messages/o1/story"), 404, "no-journal");
        assertProblem(gateway.send("POST", "/topics/orders/restore"), 404, "no-journal");
    }
}
