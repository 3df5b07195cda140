package io.delayqueue.benchmarks.gateway;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An SQS client that signs, in either protocol. */
final class PlainClient implements QueueClient {

    private static final Pattern JSON_HANDLE = Pattern.compile("\"ReceiptHandle\":\\s*\"([^\"]+)\"");
    private static final Pattern XML_HANDLE = Pattern.compile("<ReceiptHandle>([^<]+)<");

    private final boolean json;
    private final String host;
    private final String url;
    private final Connection connection;
    private final Signer signer = new Signer();

    PlainClient(URI server, String queue, boolean json) {
        this.json = json;
        this.host = server.getAuthority();
        this.url = server + "/000000000000/" + queue;
        this.connection = new Connection(server);
    }

    @Override
    public void send(int count, String body) {
        if (count == 1) {
            call("SendMessage", json ? "\"MessageBody\":\"" + body + "\"" : "&MessageBody=" + body);
            return;
        }
        List<String> entries = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            String field = "&SendMessageBatchRequestEntry." + i + ".";
            entries.add(
                    json
                            ? "{\"Id\":\"e" + i + "\",\"MessageBody\":\"" + body + "\"}"
                            : field + "Id=e" + i + field + "MessageBody=" + body);
        }
        call("SendMessageBatch", all(entries));
    }

    @Override
    public int receiveAndDelete(int max, int waitSeconds) {
        String answer = call(
                "ReceiveMessage",
                json
                        ? "\"MaxNumberOfMessages\":" + max + ",\"WaitTimeSeconds\":" + waitSeconds
                        : "&MaxNumberOfMessages=" + max + "&WaitTimeSeconds=" + waitSeconds);
        List<String> handles = new ArrayList<>();
        Matcher found = (json ? JSON_HANDLE : XML_HANDLE).matcher(answer);
        while (found.find()) {
            handles.add(found.group(1));
        }
        if (handles.size() == 1) {
            String handle = handles.get(0);
            call("DeleteMessage", json ? "\"ReceiptHandle\":\"" + handle + "\"" : "&ReceiptHandle=" + encode(handle));
        } else if (!handles.isEmpty()) {
            List<String> entries = new ArrayList<>();
            for (int i = 1; i <= handles.size(); i++) {
                String field = "&DeleteMessageBatchRequestEntry." + i + ".";
                String handle = handles.get(i - 1);
                entries.add(
                        json
                                ? "{\"Id\":\"e" + i + "\",\"ReceiptHandle\":\"" + handle + "\"}"
                                : field + "Id=e" + i + field + "ReceiptHandle=" + encode(handle));
            }
            call("DeleteMessageBatch", all(entries));
        }
        return handles.size();
    }

    private String all(List<String> entries) {
        return json ? "\"Entries\":[" + String.join(",", entries) + "]" : String.join("", entries);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private String call(String action, String parameters) {
        String text = json
                ? "{\"QueueUrl\":\"" + url + "\"," + parameters + "}"
                : "Action=" + action + "&Version=2012-11-05&QueueUrl=" + encode(url) + parameters;
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        String target = json ? "AmazonSQS." + action : "";
        String path = json ? "/" : url.substring(url.indexOf(host) + host.length());
        return connection.call(
                "POST",
                path,
                "Content-Type: " + (json ? "application/x-amz-json-1.0" : "application/x-www-form-urlencoded") + "\r\n"
                        + (json ? "X-Amz-Target: " + target + "\r\n" : "") + signer.headers(path, host, target, body),
                body);
    }

    @Override
    public void close() {
        connection.close();
    }
}
