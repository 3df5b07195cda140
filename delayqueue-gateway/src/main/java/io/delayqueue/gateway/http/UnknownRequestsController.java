package io.delayqueue.gateway.http;

import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Answers requests below the base path that no other controller knows: the path, or the method of that path. */
@RestController
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}")
public final class UnknownRequestsController {

    private final ObjectProvider<RequestMappingHandlerMapping> mappings;
    private final Answers answers;

    /** A controller that looks for methods of a path in these mappings. */
    public UnknownRequestsController(ObjectProvider<RequestMappingHandlerMapping> mappings, Answers answers) {
        this.mappings = mappings;
        this.answers = answers;
    }

    /** Spring answers this method itself, unless a mapping names it. */
    @RequestMapping(path = "/**", method = RequestMethod.OPTIONS)
    ResponseEntity<byte[]> options(HttpServletRequest request) {
        return unknown(request);
    }

    @RequestMapping("/**")
    ResponseEntity<byte[]> unknown(HttpServletRequest request) {
        Set<String> methods = new TreeSet<>();
        mappings.stream()
                .forEach(mapping -> mapping.getHandlerMethods()
                        .forEach((info, handler) -> methods.addAll(methods(info, handler, request))));
        if (methods.isEmpty()) {
            throw new ProblemException(ProblemType.NO_SUCH_PATH, "see openapi.json");
        }
        String allow = String.join(", ", methods);
        if (HttpMethod.OPTIONS.matches(request.getMethod())) {
            return ResponseEntity.noContent().header("Allow", allow).build();
        }
        ResponseEntity<byte[]> refused = answers.of(
                        new ProblemException(ProblemType.METHOD_NOT_ALLOWED, "allowed: " + allow))
                .entity();
        return ResponseEntity.status(refused.getStatusCode())
                .headers(refused.getHeaders())
                .header("Allow", allow)
                .body(refused.getBody());
    }

    private static Set<String> methods(RequestMappingInfo info, HandlerMethod handler, HttpServletRequest request) {
        Set<String> methods = new TreeSet<>();
        PathPatternsRequestCondition patterns = info.getPathPatternsCondition();
        boolean ours = handler.getBeanType().getPackageName().startsWith(apiPackage())
                && handler.getBeanType() != UnknownRequestsController.class;
        if (ours && patterns != null && patterns.getMatchingCondition(request) != null) {
            info.getMethodsCondition().getMethods().forEach(method -> methods.add(method.name()));
        }
        return methods;
    }

    private static String apiPackage() {
        return UnknownRequestsController.class.getPackageName();
    }
}
