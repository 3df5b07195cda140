package io.delayqueue.dashboard.http;

import io.delayqueue.MessageInfo;
import io.delayqueue.dashboard.DashboardProperties;
import io.delayqueue.dashboard.access.DashboardCallers;
import io.delayqueue.dashboard.payload.FieldMask;
import io.delayqueue.dashboard.payload.PayloadText;
import io.delayqueue.dashboard.read.DashboardReader;
import io.delayqueue.dashboard.read.FoundMessage;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.Right;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Reads of one message, and of its payload. */
@RestController
@RequestMapping("${delayqueue.dashboard.path:/delayqueue}/api")
public final class MessageController {

    private static final int MAX_FILE_NAME = 100;

    private final DashboardReader reader;
    private final DelayQueueOperator operator;
    private final DashboardCallers callers;
    private final DashboardProperties properties;
    private final FieldMask mask;
    private final Answers answers;

    /** A controller with the masks and bounds of these properties. */
    public MessageController(
            DashboardReader reader,
            DelayQueueOperator operator,
            DashboardCallers callers,
            DashboardProperties properties,
            Answers answers) {
        this.reader = reader;
        this.operator = operator;
        this.callers = callers;
        this.properties = properties;
        this.mask = new FieldMask(properties.getMaskFields(), properties.getShowFields());
        this.answers = answers;
    }

    @GetMapping("/message")
    CompletableFuture<ResponseEntity<byte[]>> message(
            HttpServletRequest request, @RequestParam String topic, @RequestParam String id) {
        Caller caller = callers.of(request);
        return reader.message(caller, topic, id, properties.getMaxHeaders())
                .thenApply(found -> answers.json(view(caller, topic, id, found)));
    }

    private Map<String, Object> view(Caller caller, String topic, String id, FoundMessage found) {
        if (found.message().isEmpty() && found.story().isEmpty()) {
            throw notFound();
        }
        boolean withValues = caller.has(Right.PAYLOAD);
        Throwable failure = found.storyFailure();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("asOf", Instant.now());
        view.put("topic", topic);
        view.put("id", id);
        view.put(
                "message",
                found.message()
                        .map(message -> MessageView.of(message, withValues, mask))
                        .orElse(null));
        view.put("story", found.story().orElse(null));
        view.put("storyProblem", failure == null ? null : answers.storyReason(failure));
        return view;
    }

    @GetMapping("/payload")
    CompletableFuture<ResponseEntity<byte[]>> payload(
            HttpServletRequest request, @RequestParam String topic, @RequestParam String id) {
        Caller caller = callers.of(request);
        return read(caller, topic, id).thenApply(message -> answers.json(payload(topic, id, message)));
    }

    private Map<String, Object> payload(String topic, String id, MessageInfo message) {
        int most = Math.toIntExact(properties.getMaxPayload().toBytes());
        PayloadText text = PayloadText.of(message.payload(), mask, most, properties.getMaxNodes());
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("topic", topic);
        view.put("id", id);
        view.put("bytes", message.payload().length);
        view.put("kind", text.kind().name().toLowerCase(Locale.ROOT));
        view.put("text", text.text());
        view.put("truncated", text.truncated());
        view.put("maskedFields", text.maskedFields());
        view.put(
                "reason",
                text.kind() == PayloadText.Kind.HIDDEN ? "fields are masked, and the payload is no JSON" : null);
        return view;
    }

    @GetMapping("/raw")
    CompletableFuture<ResponseEntity<byte[]>> raw(
            HttpServletRequest request, @RequestParam String topic, @RequestParam String id) {
        Caller caller = callers.of(request);
        return read(caller, topic, id)
                .thenApply(message -> ResponseEntity.ok()
                        .contentType(MediaType.APPLICATION_OCTET_STREAM)
                        .header(
                                HttpHeaders.CONTENT_DISPOSITION,
                                ContentDisposition.attachment()
                                        .filename(fileName(topic, id))
                                        .build()
                                        .toString())
                        .body(download(message)));
    }

    private byte[] download(MessageInfo message) {
        if (!mask.isSet()) {
            return message.payload();
        }
        return PayloadText.whole(message.payload(), mask)
                .map(Answers::utf8)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.MASKED, "fields are masked, and the payload is no JSON: it may hold their values"));
    }

    private CompletableFuture<MessageInfo> read(Caller caller, String topic, String id) {
        operator.requireRight(caller, Right.PAYLOAD);
        return reader.alone(() -> operator.find(caller, topic, id).orElseThrow(MessageController::notFound));
    }

    /** Of harmless characters only: topic and id are whatever a program made them. */
    private static String fileName(String topic, String id) {
        String name = (topic + "-" + id).replaceAll("[^A-Za-z0-9_-]", "_");
        return (name.length() > MAX_FILE_NAME ? name.substring(0, MAX_FILE_NAME) : name) + ".bin";
    }

    private static ProblemException notFound() {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no such message");
    }
}
