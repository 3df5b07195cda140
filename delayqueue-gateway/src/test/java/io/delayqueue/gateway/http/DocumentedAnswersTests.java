package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.gateway.testsupport.OpenApiConformity;
import io.delayqueue.test.EmbeddedRedis;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each answer that the OpenAPI document has is given, or named here as one that a test can't bring about. */
@Tag("slow")
class DocumentedAnswersTests {

    private static final String LARGE = "\"" + "x".repeat(3_000) + "\"";

    /** Answers that these requests do not get. */
    private static final List<Predicate<String>> NOT_HERE = List.of(
            // a fault of the gateway's, which no request brings about
            answer -> answer.endsWith(" 500"),
            // a client that is too slow: FuzzTests and SlowBodiesTests
            answer -> answer.endsWith(" 408"),
            // the journal has a change that Redis has not yet, or a restore takes 20 s: RecordedChangesTests
            answer -> answer.endsWith(" 202"),
            // these have no parameter that may be wrong
            Set.of("GET /topics 400", "GET /openapi.json 400")::contains,
            // every caller may read the document, and its own topics
            Set.of("GET /topics 403", "GET /openapi.json 403")::contains,
            // it is not in Redis
            Set.of("GET /openapi.json 503")::contains,
            // the database does not answer: SlowDatabaseTests
            answer -> answer.matches(".*/(story|restore) 503"));

    private record Request(String method, String path, String body) {}

    private final List<Request> operations = new ArrayList<>();

    private static String sha256(String token) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    }

    private static Gateway gateway(EmbeddedRedis redis, String... more) throws Exception {
        List<String> properties = new ArrayList<>(List.of(
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:documented" + more.length,
                "delayqueue.journal.restore.mode=report",
                "delayqueue.gateway.max-body=2KB",
                "delayqueue.gateway.tokens.all.sha256=" + sha256("all"),
                "delayqueue.gateway.tokens.all.rights=produce, consume, operate",
                "delayqueue.gateway.tokens.all.topics=*",
                "delayqueue.gateway.tokens.none.sha256=" + sha256("none"),
                "delayqueue.gateway.tokens.none.rights=produce, consume, operate",
                "delayqueue.gateway.tokens.none.topics=others"));
        properties.addAll(List.of(more));
        return Gateway.start(redis, properties.toArray(String[]::new));
    }

    @Test
    void eachDocumentedAnswerIsGiven() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            try (Gateway gateway = gateway(redis)) {
                String receipt = ownAnswers(gateway);
                collect(receipt);
                for (Request operation : operations) {
                    refusals(gateway, operation);
                }
            }
            // without a journal, whose database would take the changes
            try (Gateway unavailable = gateway(
                    redis,
                    "spring.autoconfigure.exclude=" + Gateway.DATABASE + "," + String.join(",", Gateway.SECURITY),
                    "delayqueue.command-timeout=1s")) {
                for (Request operation : operations) {
                    if (operation.path.matches(".*(story|restore).*")) {
                        assertThat(send(unavailable, operation).status())
                                .as(operation.path)
                                .isEqualTo(404);
                    }
                }
                redis.pause();
                try {
                    for (Request operation : operations) {
                        if (!operation.path.matches(".*(story|restore|openapi.json).*")) {
                            await().atMost(Duration.ofSeconds(60))
                                    .until(() -> send(unavailable, operation).status() == 503);
                        }
                    }
                } finally {
                    redis.resume();
                }
            }
            try (Gateway limited = gateway(redis, "delayqueue.gateway.max-requests-per-second=1")) {
                for (Request operation : operations) {
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> send(limited, operation).status() == 429);
                }
            }
        }
        Set<String> missing = documented();
        missing.removeAll(OpenApiConformity.seen());
        missing.removeIf(answer -> NOT_HERE.stream().anyMatch(not -> not.test(answer)));
        assertThat(missing).isEmpty();
    }

    private static Reply send(Gateway gateway, Request request, String... headers) throws Exception {
        return send(gateway, request.method, request.path, request.body, headers);
    }

    private static Reply send(Gateway gateway, String method, String path, String body, String... headers)
            throws Exception {
        List<String> all = new ArrayList<>(List.of("Authorization", "Bearer all"));
        all.addAll(List.of(headers));
        return gateway.send(method, path, body, all.toArray(String[]::new));
    }

    private void collect(String receipt) {
        OpenApiConformity.DOCUMENT
                .get("paths")
                .properties()
                .forEach(path -> path.getValue().propertyNames().forEach(method -> {
                    if (!method.equals("parameters")) {
                        operations.add(new Request(
                                method.toUpperCase(Locale.ROOT),
                                path.getKey()
                                                .replace("{topic}", "orders")
                                                .replace("{id}", "o1")
                                                .replace("{receipt}", receipt)
                                        + (path.getKey().matches(".*(/messages|/story)") && !method.equals("post")
                                                ? "?id=o1"
                                                : ""),
                                body(method, path.getKey())));
                    }
                }));
    }

    private static String body(String method, String path) {
        if (method.equals("patch")) {
            return "{\"delay\": 60}";
        }
        if (method.equals("post") && path.endsWith("/messages")) {
            return "{\"payload\": 1, \"delay\": 60}";
        }
        return path.endsWith("/extend") ? "{\"lease\": 60}" : "";
    }

    private static Set<String> documented() {
        Set<String> answers = new TreeSet<>();
        OpenApiConformity.DOCUMENT
                .get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(operation -> {
                    if (operation.getValue().has("responses")) {
                        operation
                                .getValue()
                                .get("responses")
                                .propertyNames()
                                .forEach(
                                        status -> answers.add(operation.getKey().toUpperCase(Locale.ROOT) + " "
                                                + path.getKey() + " " + status));
                    }
                }));
        return answers;
    }

    /** The refusals that all operations have in common. */
    private static void refusals(Gateway gateway, Request operation) throws Exception {
        gateway.send(operation.method, operation.path, operation.body);
        send(gateway, operation, "Authorization", "Bearer none");
        send(gateway, operation, "Accept", "nonsense");
        send(gateway, operation.method, operation.path, LARGE);
        send(gateway, operation.method, operation.path, "text", "Content-Type", "text/plain");
        send(gateway, operation.method, operation.path.replace("orders", "or%7Bders"), operation.body);
        send(gateway, operation.method, operation.path.replaceAll("/claims/[^/]+", "/claims/garbage"), operation.body);
    }

    /** The answers of single operations. Returns the receipt of a message that was settled. */
    private static String ownAnswers(Gateway gateway) throws Exception {
        String messages = "/topics/orders/messages";
        send(gateway, "POST", messages, "{\"id\": \"o1\", \"payload\": 1}", "Idempotency-Key", "\"k\"");
        // until Redis has the first one, the database takes a second one
        await().atMost(Duration.ofSeconds(60))
                .until(() -> send(gateway, "POST", messages, "{\"id\": \"o1\", \"payload\": 1}")
                                .status()
                        == 409);
        send(gateway, "POST", messages, "{\"id\": \"o1\", \"payload\": 2}", "Idempotency-Key", "\"k\"");
        change(gateway, "POST", messages, "{\"id\": \"o1\", \"payload\": 1, \"ifExists\": \"replace\"}");
        String receipt = claim(gateway);
        for (String one : List.of(messages + "/o1", messages + "?id=o1")) {
            send(gateway, "GET", one, "");
            change(gateway, "DELETE", one, "");
            change(gateway, "PATCH", one, "{\"delay\": 1}");
        }
        for (String none : List.of(messages + "/none", messages + "?id=none")) {
            for (String method : List.of("GET", "DELETE", "PATCH")) {
                // a change of this id that is still to be sent may be answered for
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> send(gateway, method, none, method.equals("PATCH") ? "{\"delay\": 1}" : "")
                                        .status()
                                == 404);
            }
        }
        send(gateway, "GET", "/topics", "");
        send(gateway, "GET", "/topics/orders", "");
        send(gateway, "GET", "/openapi.json", "");
        send(gateway, "POST", "/claims/" + receipt + "/extend", "{\"lease\": 60}");
        send(gateway, "POST", "/claims/" + receipt + "/release", "");
        send(gateway, "POST", "/claims/" + claim(gateway) + "/retry", "{\"delay\": 0}");
        send(gateway, "POST", "/claims/" + claim(gateway) + "/dead-letter", "");
        for (String restore : List.of(messages + "/o1/restore", "/topics/orders/restore")) {
            send(gateway, "POST", restore, "");
        }
        for (String path : List.of("/none/story", "/o1/story")) {
            send(gateway, "GET", messages + path, "");
        }
        send(gateway, "GET", "/topics/orders/story?id=none", "");
        send(gateway, "POST", messages, "{\"id\": \"o2\", \"payload\": 1}");
        String last = claim(gateway);
        send(gateway, "DELETE", "/claims/" + last, "");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> send(gateway, "GET", "/topics/orders/story?id=o2", "")
                                        .status()
                                == 200
                        && send(gateway, "GET", messages + "/o1/story", "").status() == 200);
        for (String settlement : List.of("/retry", "/release", "/dead-letter")) {
            send(gateway, "POST", "/claims/" + last + settlement, "");
        }
        send(gateway, "POST", "/claims/" + last + "/extend", "{\"lease\": 60}");
        send(gateway, "DELETE", "/claims/" + last, "");
        change(gateway, "POST", messages, "{\"id\": \"o3\", \"payload\": 1, \"delay\": 60}");
        for (String one : List.of(messages + "/o3", messages + "?id=o3")) {
            change(gateway, "PATCH", one, "{\"delay\": 600}", "Idempotency-Key", "\"k\"");
            change(gateway, "PATCH", one, "{\"delay\": 601}", "Idempotency-Key", "\"k\"");
            change(gateway, "DELETE", one, "");
            change(gateway, "POST", messages, "{\"id\": \"o3\", \"payload\": 1, \"delay\": 60}");
        }
        return last;
    }

    /** Makes a change of a message when those before are recorded: then it gets Redis' outcome. */
    private static void change(Gateway gateway, String method, String path, String body, String... headers)
            throws Exception {
        gateway.awaitRecorded("orders");
        send(gateway, method, path, body, headers);
    }

    private static String claim(Gateway gateway) throws Exception {
        return send(gateway, "POST", "/topics/orders/claims", "{\"wait\": 30, \"lease\": 600}")
                .json()
                .at("/messages/0/receipt")
                .stringValue();
    }
}
