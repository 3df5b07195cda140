package io.delayqueue.internal.redis;

import io.delayqueue.ServerReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads into a report what INFO, HELLO and CONFIG GET tell of a server. Each of them may be missing: the user may lack the
 * permission. Not safe for use by several threads at a time.
 */
final class ServerFacts {

    private final ServerReport.Builder report;
    private boolean hasVersion;
    private boolean appendOnlyFile = true;

    ServerFacts(ServerReport.Builder report) {
        this.report = report;
    }

    boolean hasVersion() {
        return hasVersion;
    }

    @Nullable
    Void readInfo(String info) {
        Map<String, String> fields = fields(info);
        String valkey = fields.get("valkey_version");
        boolean isValkey = valkey != null || "valkey".equals(fields.get("server_name"));
        report.product(isValkey ? "valkey" : "redis");
        version(valkey != null ? valkey : fields.get("redis_version"));
        report.evictionPolicy(fields.getOrDefault("maxmemory_policy", ""));
        report.memoryLimit(Long.parseLong(fields.getOrDefault("maxmemory", "0")));
        appendOnlyFile = !"0".equals(fields.get("aof_enabled"));
        report.persistent(appendOnlyFile);
        return null;
    }

    @Nullable
    Void readHello(List<Object> pairs) {
        for (int i = 0; i + 1 < pairs.size(); i += 2) {
            switch (Replies.text(pairs.get(i))) {
                case "server" -> report.product(Replies.text(pairs.get(i + 1)));
                case "version" -> version(Replies.text(pairs.get(i + 1)));
                default -> {}
            }
        }
        return null;
    }

    /** The answer to {@code CONFIG GET save}: INFO does not tell whether snapshots are on. */
    @Nullable
    Void readSnapshots(Map<String, String> setting) {
        report.persistent(appendOnlyFile || !setting.getOrDefault("save", "").isBlank());
        return null;
    }

    private void version(@Nullable String version) {
        if (version != null) {
            report.version(version);
            hasVersion = true;
        }
    }

    private static Map<String, String> fields(String info) {
        Map<String, String> fields = new HashMap<>();
        info.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).trim());
            }
        });
        return fields;
    }
}
