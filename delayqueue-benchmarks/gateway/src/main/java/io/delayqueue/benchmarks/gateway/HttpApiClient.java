package io.delayqueue.benchmarks.gateway;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The gateway's own API, with a token. It has no batch of acks. */
final class HttpApiClient implements QueueClient {

    private static final Pattern RECEIPT = Pattern.compile("\"receipt\":\\s*\"([^\"]+)\"");
    private static final String PATH = "/delayqueue/v1";
    private static final byte[] NOTHING = {};

    private final Connection connection;
    private final String topic;
    private final String authorization = "Authorization: Bearer " + GatewayServer.TOKEN + "\r\n";
    private final String json = authorization + "Content-Type: application/json\r\n";

    HttpApiClient(URI server, String topic) {
        this.connection = new Connection(server);
        this.topic = PATH + "/topics/" + topic;
    }

    @Override
    public void send(int count, String body) {
        String message = "{\"payload\":\"" + body + "\"}";
        String text = count == 1 ? message : "[" + String.join(",", Collections.nCopies(count, message)) + "]";
        connection.call("POST", topic + "/messages", json, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public int receiveAndDelete(int max, int waitSeconds) {
        String answer = connection.call(
                "POST",
                topic + "/claims",
                json,
                ("{\"max\":" + max + ",\"wait\":" + waitSeconds + "}").getBytes(StandardCharsets.UTF_8));
        List<String> receipts = new ArrayList<>();
        Matcher found = RECEIPT.matcher(answer);
        while (found.find()) {
            receipts.add(found.group(1));
        }
        receipts.forEach(receipt -> connection.call("DELETE", PATH + "/claims/" + receipt, authorization, NOTHING));
        return receipts.size();
    }

    @Override
    public void close() {
        connection.close();
    }
}
