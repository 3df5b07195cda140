package io.delayqueue.gateway.http;

import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.Json;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.node.ObjectNode;

/** Serves the API's OpenAPI document, with the base path of this gateway. */
@RestController
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}")
public final class OpenApiController {

    private static final String DOCUMENT = "META-INF/delayqueue/openapi.json";
    private static final String NAME = "/openapi.json";

    private final Json json;
    private final ObjectNode document;

    /** A controller of the document on the class path. */
    public OpenApiController(Answers answers) throws IOException {
        this.json = answers.json();
        try (InputStream in = new ClassPathResource(DOCUMENT).getInputStream()) {
            this.document = (ObjectNode) json.read(in.readAllBytes());
        }
    }

    @GetMapping(NAME)
    ResponseEntity<byte[]> document(HttpServletRequest request) {
        String path = request.getRequestURI();
        ObjectNode served = document.deepCopy();
        served.putArray("servers").addObject().put("url", path.substring(0, path.length() - NAME.length()));
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(json.write(served));
    }
}
