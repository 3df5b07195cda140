package io.delayqueue.gateway.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Checks responses against the API's OpenAPI document: path, method, status, content type, headers, and the body by its schema. */
public final class OpenApiConformity {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The document as it is on the class path. */
    public static final JsonNode DOCUMENT = document();

    private static final String PROBLEM = "/components/schemas/Problem";
    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDialect(Dialects.getOpenApi31());
    private static final Map<String, Schema> SCHEMAS = new ConcurrentHashMap<>();
    private static final Set<String> SEEN = new ConcurrentSkipListSet<>();

    private OpenApiConformity() {}

    private static JsonNode document() {
        try (InputStream in = OpenApiConformity.class.getResourceAsStream("/META-INF/delayqueue/openapi.json")) {
            return JSON.readTree(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Each method and path that was checked in this JVM, with its status. */
    public static Set<String> seen() {
        return new TreeSet<>(SEEN);
    }

    /** Checks the response to a request below the base path. */
    public static void check(String method, String target, HttpResponse<byte[]> response) {
        String path = target.split("\\?", 2)[0];
        Optional<String> template = template(path);
        int status = response.statusCode();
        String type = response.headers().firstValue("Content-Type").orElse("");
        String context = method + " " + target + " -> " + status + " " + type;
        JsonNode operation = template.map(
                        found -> DOCUMENT.get("paths").get(found).get(method.toLowerCase(Locale.ROOT)))
                .orElse(null);
        if (operation == null) {
            // the document has no such request: these are its answers
            assertThat(status).as(context).isIn(204, 400, 401, 404, 405, 413, 415, 429);
            if (response.body().length > 0) {
                assertThat(type).as(context).isEqualTo("application/problem+json");
                validate(PROBLEM, response.body(), context);
            }
            return;
        }
        SEEN.add(method + " " + template.get() + " " + status);
        JsonNode described = operation.at("/responses/" + status);
        assertThat(described.isMissingNode())
                .as("%s is in the document", context)
                .isFalse();
        String pointer = "/paths/" + template.get().replace("~", "~0").replace("/", "~1") + "/"
                + method.toLowerCase(Locale.ROOT) + "/responses/" + status;
        if (described.has("$ref")) {
            pointer = described.get("$ref").stringValue().substring(1);
            described = DOCUMENT.at(pointer);
        }
        if (!described.has("content")) {
            assertThat(response.body()).as(context).isEmpty();
            return;
        }
        String mediaType = described.get("content").propertyNames().iterator().next();
        assertThat(type).as(context).isEqualTo(mediaType);
        for (String header : described.has("headers") ? described.get("headers").propertyNames() : List.<String>of()) {
            if (!header.equals("Idempotent-Replayed")) {
                assertThat(response.headers().firstValue(header))
                        .as("%s has %s", context, header)
                        .isPresent();
            }
        }
        validate(pointer + "/content/" + mediaType.replace("/", "~1") + "/schema", response.body(), context);
    }

    /** Checks a body of problem details, such as one that was read from a raw connection. */
    public static void checkProblem(byte[] body, String context) {
        validate(PROBLEM, body, context);
    }

    private static void validate(String pointer, byte[] body, String context) {
        JsonNode tree = JSON.readTree(body);
        List<Error> errors = SCHEMAS.computeIfAbsent(pointer, OpenApiConformity::schema)
                .validate(tree, execution -> execution.executionConfig(config -> config.formatAssertionsEnabled(true)));
        assertThat(errors).as("%s %s", context, tree).isEmpty();
    }

    private static Schema schema(String pointer) {
        ObjectNode root = JSON.createObjectNode();
        root.put("$ref", "#" + pointer);
        root.set("components", DOCUMENT.get("components"));
        root.set("paths", DOCUMENT.get("paths"));
        return REGISTRY.getSchema(SchemaLocation.of("urn:openapi:" + pointer.hashCode()), root);
    }

    /** The path of the document that fits, one without variables before others. */
    private static Optional<String> template(String path) {
        return DOCUMENT.get("paths").propertyNames().stream()
                .filter(template -> path.matches(template.replaceAll("\\{[^}]*}", "[^/]+")))
                .min((a, b) -> Integer.compare(variables(a), variables(b)));
    }

    private static int variables(String template) {
        return template.split("\\{", -1).length;
    }
}
