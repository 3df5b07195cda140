package io.delayqueue.dashboard.http;

import io.delayqueue.dashboard.access.CsrfTokens;
import io.delayqueue.dashboard.access.DashboardCallers;
import io.delayqueue.dashboard.access.DashboardPaths;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.MissingRightException;
import io.delayqueue.spring.operator.Right;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the page, which is the same for all views: the browser's URL tells the view. */
@RestController
@RequestMapping("${delayqueue.dashboard.path:/delayqueue}")
public final class PageController {

    private final DelayQueueOperator operator;
    private final DashboardCallers callers;
    private final DashboardPaths paths;
    private final DashboardAssets assets;
    private final CsrfTokens csrf;

    /** A controller of the page that these assets make. */
    public PageController(
            DelayQueueOperator operator,
            DashboardCallers callers,
            DashboardPaths paths,
            DashboardAssets assets,
            CsrfTokens csrf) {
        this.operator = operator;
        this.callers = callers;
        this.paths = paths;
        this.assets = assets;
        this.csrf = csrf;
    }

    @GetMapping({"", "/", "/topic", "/message", "/search", "/activity"})
    ResponseEntity<byte[]> page(HttpServletRequest request) {
        Caller caller = callers.of(request);
        try {
            operator.requireRight(caller, Right.VIEW);
        } catch (MissingRightException e) {
            return page(
                    HttpStatus.FORBIDDEN, request, caller, CsrfTokens.Token.NONE, String.join(",", callers.roles()));
        }
        return page(HttpStatus.OK, request, caller, csrf.of(request), "");
    }

    private ResponseEntity<byte[]> page(
            HttpStatus status, HttpServletRequest request, Caller caller, CsrfTokens.Token token, String missingRoles) {
        String base = paths.base(request);
        Map<String, String> values = new LinkedHashMap<>();
        values.put("base", base);
        values.put("assets", base + assets.path());
        values.put("csrfHeader", token.header());
        values.put("csrfToken", token.value());
        values.put("user", caller.name());
        values.put("rights", caller.rights().stream().sorted().map(Right::name).collect(Collectors.joining(" ")));
        values.put("missingRoles", missingRoles);
        values.put("writeEnabled", String.valueOf(callers.isWriteEnabled()));
        return ResponseEntity.status(status)
                .contentType(new MediaType(MediaType.TEXT_HTML, StandardCharsets.UTF_8))
                .body(assets.page(values).getBytes(StandardCharsets.UTF_8));
    }
}
