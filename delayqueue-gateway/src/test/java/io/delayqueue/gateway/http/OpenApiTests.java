package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.gateway.testsupport.OpenApiConformity;
import io.delayqueue.gateway.testsupport.Programs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The document describes the API. Further tests check each response against it. */
@ExtendWith(EmbeddedRedisExtension.class)
class OpenApiTests {

    private static final String BASE = "/delayqueue/v1";
    private static final Set<String> METHODS = Set.of("get", "post", "patch", "delete", "put");

    @Test
    void documentHasARequestForEachMappingAndNoOther(EmbeddedRedis redis) {
        try (Gateway gateway = Gateway.start(redis)) {
            Set<String> mapped = new TreeSet<>();
            gateway.context()
                    .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                    .getHandlerMethods()
                    .forEach((info, handler) -> {
                        boolean ours = handler.getBeanType().getPackageName().startsWith("io.delayqueue.gateway.http")
                                && handler.getBeanType() != UnknownRequestsController.class;
                        if (ours) {
                            info.getPatternValues()
                                    .forEach(pattern -> info.getMethodsCondition()
                                            .getMethods()
                                            .forEach(method ->
                                                    mapped.add(method + " " + pattern.substring(BASE.length()))));
                        }
                    });

            assertThat(documented()).isNotEmpty().containsExactlyInAnyOrderElementsOf(mapped);
        }
    }

    private static Set<String> documented() {
        Set<String> requests = new TreeSet<>();
        OpenApiConformity.DOCUMENT
                .get("paths")
                .properties()
                .forEach(path -> path.getValue().propertyNames().forEach(method -> {
                    if (METHODS.contains(method)) {
                        requests.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
                    }
                }));
        return requests;
    }

    @Test
    void documentIsServedWithTheBasePathOfTheGateway(EmbeddedRedis redis) throws Exception {
        try (Gateway gateway = Gateway.start(redis, "server.servlet.context-path=/shop")) {
            Reply reply = gateway.sendTo("/shop" + BASE, "GET", "/openapi.json", "");

            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.json().at("/servers/0/url").stringValue()).isEqualTo("/shop" + BASE);
            ObjectNode served = (ObjectNode) reply.json();
            served.set("servers", OpenApiConformity.DOCUMENT.get("servers"));
            assertThat((JsonNode) served).isEqualTo(OpenApiConformity.DOCUMENT);
        }
    }

    /** A path that a reverse proxy or another API has already. */
    @Test
    void theApiMayHaveAnotherBasePath(EmbeddedRedis redis) throws Exception {
        String base = "/queue/api.v2";
        try (Gateway gateway =
                Gateway.start(redis, "delayqueue.gateway.path=" + base, "delayqueue.gateway.max-body=1MB")) {
            Reply scheduled =
                    gateway.sendTo(base, "POST", "/topics/orders/messages", "{\"id\": \"o1\", \"payload\": 1}");
            assertThat(scheduled.status()).isEqualTo(201);
            assertThat(scheduled.header("Location")).isEqualTo(base + "/topics/orders/messages/o1");
            Reply claimed = gateway.sendTo(base, "POST", "/topics/orders/claims", "{\"wait\": 30}");
            String receipt = claimed.json().at("/messages/0/receipt").stringValue();
            assertThat(gateway.sendTo(base, "DELETE", "/claims/" + receipt, "").status())
                    .isEqualTo(204);
            assertThat(gateway.sendTo(base, "GET", "/none", "").status()).isEqualTo(404);
            assertThat(gateway.sendTo(base, "GET", "/openapi.json", "")
                            .json()
                            .at("/servers/0/url")
                            .stringValue())
                    .isEqualTo(base);
            // no more than the container reads behind a refusal: else it may end the connection before the client sees
            // that
            assertThat(gateway.sendTo(base, "POST", "/topics/orders/messages", "x".repeat(1_100_000))
                            .status())
                    .as("limits of bodies hold there")
                    .isEqualTo(413);
            assertThat(gateway.http()
                            .send(
                                    HttpRequest.newBuilder(
                                                    URI.create("http://127.0.0.1:" + gateway.port() + BASE + "/topics"))
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .as("nothing is left at the default path")
                    .isEqualTo(404);
        }
    }

    /** The whole document, not only its schemas. */
    @Test
    @Tag("slow")
    void documentIsValidByTheSchemaOfOpenApi(EmbeddedRedis redis, @TempDir Path folder) throws Exception {
        Path program = Programs.installed(Path.of("src/test/node/openapi"), Path.of("target/node/openapi"));
        try (Gateway gateway = Gateway.start(redis)) {
            Path document = Files.write(
                    folder.resolve("openapi.json"),
                    gateway.send("GET", "/openapi.json").response().body());
            assertThat(Programs.run(
                            List.of("node", program.resolve("validate.mjs").toString(), document.toString())))
                    .isEqualTo("3.1 valid");
        }
    }

    @Test
    void eachSchemaIsAValidOne() {
        SchemaRegistry registry = SchemaRegistry.withDialect(Dialects.getDraft202012());
        OpenApiConformity.DOCUMENT
                .at("/components/schemas")
                .properties()
                .forEach(schema -> assertThat(
                                registry.getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"))
                                        .validate(schema.getValue()))
                        .as(schema.getKey())
                        .isEmpty());
    }

    @Test
    void eachReferenceHasItsTarget() {
        assertThat(OpenApiConformity.DOCUMENT.findValues("$ref"))
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(OpenApiConformity.DOCUMENT
                                .at(reference.stringValue().substring(1))
                                .isMissingNode())
                        .as("%s", reference)
                        .isFalse());
    }
}
