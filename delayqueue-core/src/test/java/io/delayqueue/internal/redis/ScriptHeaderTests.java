package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scripts' headers are what people read: they must not drift away from the scripts. */
class ScriptHeaderTests {

    private static final Pattern PART = Pattern.compile("-- ([A-Z]+) {2,}(\\S.*)");
    private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('(\\w+)'(?:, ([^,)]*(?:\\([^)]*\\))?))?");
    private static final Pattern NAMED_KEYS =
            Pattern.compile("local ((?:\\w+, )*\\w+) = (KEYS\\[\\d+](?:, KEYS\\[\\d+])*)");

    /** Without it, messages flow as well. */
    private static final String OPTIONAL = "INFO";

    /** Commands that are allowed: none that scans, blocks, expires, evaluates, or drops what it was not told to. */
    private static final Set<String> COMMANDS = Set.of(
            "TIME",
            "HSET",
            "HGET",
            "HMGET",
            "HLEN",
            "HGETALL",
            // in small steps: after damage, after an increase of partitions, and to delete a topic
            "HSCAN",
            OPTIONAL,
            "HEXISTS",
            "HSTRLEN",
            "HINCRBY",
            "HDEL",
            "ZADD",
            "ZSCORE",
            "ZMSCORE",
            "ZCARD",
            "ZCOUNT",
            "ZRANGE",
            "ZREVRANGE",
            "ZRANGEBYSCORE",
            "ZREMRANGEBYRANK",
            "ZREM");

    @ParameterizedTest
    @EnumSource
    void headerHasItsPartsInOrder(Script script) {
        assertThat(header(script).keySet()).containsExactly("PURPOSE", "KEYS", "ARGV", "RETURNS", "COST", "CALLER");
    }

    /** The header of a script leads to the method that sends it. */
    @ParameterizedTest
    @EnumSource
    void callersAreTheMethodsThatSendTheScript(Script script) throws IOException {
        Pattern sends = Pattern.compile("\\.run(?:OnAll)?\\(\\s*Script\\." + script.name() + "\\b");
        List<String> senders = new ArrayList<>();
        try (Stream<Path> sources = Files.list(Path.of("src/main/java/io/delayqueue/internal/redis"))) {
            for (Path source : sources.toList()) {
                String code = Files.readString(source);
                sends.matcher(code)
                        .results()
                        .forEach(call ->
                                senders.add(source.getFileName().toString().replace("java", "")
                                        + methodAround(code, call.start())));
            }
        }

        assertThat(header(script).getOrDefault("CALLER", "").split(", "))
                .containsExactlyInAnyOrderElementsOf(new TreeSet<>(senders));
    }

    /** The name of the method whose declaration, which the formatter indents by four, is the last one before that place. */
    private static String methodAround(String code, int place) {
        Matcher declaration = Pattern.compile("^ {4}\\w[^\n=;(]* (\\w+)\\(", Pattern.MULTILINE)
                .matcher(code)
                .region(0, place);
        String name = "";
        while (declaration.find()) {
            name = declaration.group(1);
        }
        return name;
    }

    @ParameterizedTest
    @EnumSource
    void headerCountsTheKeysThatTheScriptIsGiven(Script script) {
        int last = Pattern.compile("\\d+")
                .matcher(header(script).getOrDefault("KEYS", ""))
                .results()
                .mapToInt(number -> Integer.parseInt(number.group()))
                .max()
                .orElse(0);

        assertThat(script.keyCount()).isEqualTo(last);
    }

    @ParameterizedTest
    @EnumSource
    void usesAllowedCommandsOnly(Script script) {
        assertThat(COMMANDS).containsAll(commands(script));
        assertThat(body(script)).doesNotContain("redis.call(\"").doesNotContain("loadstring");
        // wake-ups, whose command the caller chooses: last of all, and a refusal is no error
        assertThat(body(script)).doesNotContain("redis.call(publish");
    }

    @ParameterizedTest
    @EnumSource
    void touchesNoKeysButThoseItIsGiven(Script script) {
        String body = body(script);
        Set<String> known = new TreeSet<>(Set.of("of[1]", "key", "channel"));
        Matcher named = NAMED_KEYS.matcher(body);
        while (named.find()) {
            known.addAll(List.of(named.group(1).split(", ")));
        }
        Matcher call = CALL.matcher(body);
        while (call.find()) {
            String key = call.group(2);
            if (key != null
                    && !call.group(1).equals(OPTIONAL)
                    && !key.startsWith("KEYS[")
                    && !key.startsWith("scheduled(")) {
                assertThat(known).as("where %s gets its key from", call.group()).contains(key);
            }
        }
        if (body.contains("scheduled(")) {
            assertThat(body).contains("local function scheduled(priority) return KEYS[7 + priority] end");
        }
        assertThat(origins("key", body)).allMatch(origin -> origin.matches("(KEYS\\[|scheduled\\().*"));
        assertThat(keysPassed(body)).isSubsetOf("key", "leased", "dead", "messages", "attempts", "errors", "scheduled");
        assertThat(origins("selected[#selected + 1]", body)).allMatch(origin -> origin.startsWith("{ key, "));
    }

    @Test
    void everyFileIsKnownAndEveryScriptHasItsFile() throws IOException, URISyntaxException {
        assertThat(files(""))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Script.values()).map(Script::fileName).toList());
    }

    @Test
    void everyIncludeIsUsed() throws IOException, URISyntaxException {
        Set<String> used = new TreeSet<>();
        for (String folder : List.of("", "include/", "include/step/")) {
            for (String file : files(folder)) {
                Pattern.compile("^ *--@include ([\\w/]+)$", Pattern.MULTILINE)
                        .matcher(Files.readString(folder(folder).resolve(file)))
                        .results()
                        .forEach(directive -> used.add(directive.group(1) + ".lua"));
            }
        }
        assertThat(includes()).containsExactlyInAnyOrderElementsOf(used);
    }

    @Test
    void includesSayWhatTheyAreFor() throws IOException, URISyntaxException {
        for (String file : includes()) {
            assertThat(Files.readString(folder("include/").resolve(file)).lines())
                    .as(file)
                    .anyMatch(line -> line.matches("-- \\S.*"));
        }
    }

    @Test
    void eachStepIsIncludedByTheOneFileThatItNames() throws IOException, URISyntaxException {
        for (String file : files("include/step/")) {
            String directive = "--@include step/" + file.replace(".lua", "");
            List<String> scripts = new ArrayList<>();
            for (String folder : List.of("", "include/")) {
                for (String script : files(folder)) {
                    if (Files.readString(folder(folder).resolve(script))
                            .lines()
                            .map(String::strip)
                            .anyMatch(directive::equals)) {
                        scripts.add(script);
                    }
                }
            }
            assertThat(scripts).as(file).hasSize(1);
            assertThat(Files.readString(folder("include/step/").resolve(file)))
                    .contains("-- A step of " + scripts.get(0) + ".");
        }
    }

    /** Names of all includes, as a directive has them, with their ending. */
    private static List<String> includes() throws IOException, URISyntaxException {
        return Stream.concat(
                        files("include/").stream(),
                        files("include/step/").stream().map("step/"::concat))
                .toList();
    }

    private static List<String> files(String folder) throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(folder(folder))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .toList();
        }
    }

    private static Path folder(String name) throws URISyntaxException {
        return Path.of(Script.class.getResource("/io/delayqueue/lua/" + name).toURI());
    }

    @Test
    void inspectTriesEveryCommandThatTheOthersUse() {
        Set<String> tried = Pattern.compile("\\{ '(\\w+)', ")
                .matcher(body(Script.INSPECT))
                .results()
                .map(trial -> trial.group(1).toUpperCase(Locale.ROOT))
                .collect(Collectors.toSet());
        tried.addAll(commands(Script.INSPECT));
        tried.add(OPTIONAL);
        assertThat(tried).containsAll(COMMANDS);
        assertThat(body(Script.INSPECT)).contains("{ string.lower(publish), channel, '' }");
        assertThat(Arrays.stream(Script.values()).flatMap(script -> commands(script).stream()))
                .containsAll(COMMANDS);
    }

    /** The values assigned to a local name that keys are taken from. An include is one line, which may have several. */
    private static List<String> origins(String name, String body) {
        return Pattern.compile("(?<!\\w)" + Pattern.quote(name) + "(?:, \\w+)* = (?=(.*))")
                .matcher(body)
                .results()
                .map(assignment -> assignment.group(1))
                .toList();
    }

    /** The arguments of functions that take a key first, up to the end of their first word. */
    private static Set<String> keysPassed(String body) {
        Set<String> passed = new TreeSet<>();
        Pattern.compile("local function (\\w+)\\(key\\b")
                .matcher(body)
                .results()
                .map(function -> Pattern.compile("(?<!function )\\b" + function.group(1) + "\\((\\w+)"))
                .forEach(call -> call.matcher(body).results().forEach(each -> passed.add(each.group(1))));
        return passed;
    }

    private static Set<String> commands(Script script) {
        return CALL.matcher(body(script))
                .results()
                .map(call -> call.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The script without its comments. */
    private static String body(Script script) {
        return source(script)
                .lines()
                .filter(line -> !line.strip().startsWith("--"))
                .collect(Collectors.joining("\n"));
    }

    private static Map<String, String> header(Script script) {
        Map<String, String> parts = new LinkedHashMap<>();
        String part = "";
        for (String line :
                source(script).lines().takeWhile(l -> l.startsWith("--")).toList()) {
            Matcher start = PART.matcher(line);
            if (start.matches()) {
                part = start.group(1);
                assertThat(parts.put(part, start.group(2)))
                        .as("second %s", part)
                        .isNull();
            } else {
                assertThat(line).startsWith("--          ");
                parts.merge(part, line.substring(12), (text, more) -> text + "\n" + more);
            }
        }
        return parts;
    }

    private static String source(Script script) {
        return new String(script.source(), StandardCharsets.UTF_8);
    }
}
