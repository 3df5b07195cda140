package io.delayqueue.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.build.Sandbox.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A run of CI that left something out is red, but for other servers on a machine that is too slow. */
@DisabledOnOs(OS.WINDOWS)
class CiScriptsTests {

    /** One report of each test that a run must have: those of all runs, and those of the journal on MySQL. */
    private static final List<String> ALL_TESTS = List.of(
            "SoakTests",
            "internal.redis.XTests",
            "internal.engine.XTests",
            "promises.XTests",
            "model.XTests",
            "cost.XTests",
            "cluster.ClusterTests",
            "jdbc.XTests",
            "jdbc.JournalTransactionTests",
            "jdbc.OutboxWriteTests",
            "jdbc.RelayTests",
            "jdbc.InboxTests",
            "jdbc.StoryTests",
            "jdbc.SeenMarksTests");

    private static final String ALL_SERVERS = "for name; do echo \"$name $PWD/server\"; done";

    @TempDir
    Path folder;

    private Sandbox sandbox;

    /** Stands in for Maven: each call leaves a line, a report of each wanted test, and a figure of coverage. */
    @BeforeEach
    void prepare() throws Exception {
        sandbox = new Sandbox(folder);
        sandbox.copy("run");
        sandbox.script("servers", ALL_SERVERS);
        Files.writeString(sandbox.file("server"), "#!/bin/bash\necho Redis server v=7.0.15 sha=0\n");
        assertThat(sandbox.file("server").toFile().setExecutable(true)).isTrue();
        maven(ALL_TESTS);
    }

    private void maven(List<String> tests) throws Exception {
        StringBuilder text = new StringBuilder("""
                echo "$*" >>calls
                mkdir -p delayqueue-{core,jdbc}/target/surefire-reports
                for module in test core spring-boot-starter jdbc dashboard gateway server; do
                    csv=delayqueue-$module/target/site/jacoco
                    mkdir -p $csv
                    echo GROUP >$csv/jacoco.csv
                    echo "delayqueue-$module,package,Class,0,0,0,0,1,3,0,0,0,0" >>$csv/jacoco.csv
                done
                """);
        for (String test : tests) {
            if (test.equals("SoakTests")) {
                // as Maven does: the last of several values counts, and beats the profile's
                text.append("""
                        excluded=
                        for argument; do
                            [[ $argument != -Dtest.tags.excluded=* ]] || excluded=$argument
                        done
                        [[ $* == *-Psoak* && $excluded != *soak* ]] &&
                        """);
            }
            text.append("for module in core jdbc; do echo '<testsuite name=\"io.delayqueue.")
                    .append(test)
                    .append(
                            "\" tests=\"2\" errors=\"0\" skipped=\"0\">' >delayqueue-$module/target/surefire-reports/TEST-")
                    .append(test)
                    .append(".xml; done\n");
        }
        sandbox.command("mvn", text.toString());
    }

    private void mavenWithout(String beginning) throws Exception {
        maven(ALL_TESTS.stream().filter(test -> !test.startsWith(beginning)).toList());
    }

    @Test
    void everythingIsBuiltOnceAndTheCoreIsTestedOnEachServer() throws Exception {
        Result result = sandbox.run(Map.of(), "run", "-Dan=argument");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output())
                .contains("Coverage of delayqueue-core: 75.0 % of 4 lines", "Coverage: 75.0 % of 28 lines")
                .contains(
                        "tested on redis-7, version 7.0.15.",
                        "tested on redis-8, version",
                        "tested on valkey-8, version");
        List<String> calls = Files.readAllLines(sandbox.file("calls"));
        assertThat(calls).hasSize(7).allMatch(call -> call.contains(" -Dan=argument"));
        assertThat(calls.get(0))
                .contains(" verify ", " -Dtest.databases=all ", " -Dtest.forks=5 -Djournal.test.forks=6 ");
        assertThat(calls.get(1))
                .contains(" -Pmysql ", " -Dtest.databases=mysql ", "JournalTransactionTests", "journal.test.forks=1");
        assertThat(calls).as("the limit of the pom").noneMatch(call -> call.contains("surefire.timeout"));
    }

    /** The build leaves them out everyday: nothing else would run them. */
    @Test
    void slowTestsAreRunUnlessAnArgumentExcludesThem() throws Exception {
        assertThat(sandbox.run(Map.of(), "run").status()).isZero();
        List<String> calls = Files.readAllLines(sandbox.file("calls"));
        assertThat(calls).hasSize(7).allMatch(call -> call.contains(" -Dtest.tags.excluded=soak | measurement"));
        // the build; those on other servers are brief
        assertThat(calls.get(0)).doesNotContain("slow");
        assertThat(calls.subList(4, 7)).allMatch(call -> call.contains(" | slow"));
        assertThat(calls.subList(4, 7)).allMatch(call -> call.contains("io.delayqueue.internal.redis.**"));
        // the engine on Redis 8
        assertThat(calls.get(5)).contains("io.delayqueue.promises.**");
        assertThat(List.of(calls.get(4), calls.get(6))).noneMatch(call -> call.contains("io.delayqueue.promises.**"));
    }

    @Test
    void longTestsHaveTheTimeThatTheyNeed() throws Exception {
        Result result = sandbox.run(Map.of(), "run", "-Dtest.tags.excluded=soak", "-Dtest.tags.excluded=measurement");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(Files.readAllLines(sandbox.file("calls")))
                .hasSize(7)
                .allMatch(call -> call.contains(" -Dsurefire.timeout=10800 "));
        assertThat(Files.readAllLines(sandbox.file("calls")).subList(4, 7))
                .allMatch(call -> call.contains("io.delayqueue.promises.**")
                        && call.endsWith("-Dtest.tags.excluded=measurement"));
    }

    @Test
    void argumentThatExcludesTheSoakFromTheOtherRunsLeavesItsOwnRunAlone() throws Exception {
        Result result = sandbox.run(Map.of(), "run", "-Dtest.tags.excluded=soak | measurement");

        assertThat(result.status()).as(result.output()).isZero();
        List<String> calls = Files.readAllLines(sandbox.file("calls"));
        assertThat(calls).hasSize(7).allMatch(call -> call.contains("-Dtest.tags.excluded=soak | measurement"));
    }

    @Test
    void runWithoutAWantedServerFailsBeforeAnythingIsBuilt() throws Exception {
        sandbox.script("servers", "echo \"redis-8 $PWD/server\"; exit 3");

        Result result = sandbox.run(Map.of(), "run");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("redis-7 redis-8 valkey-8", "DELAYQUEUE_MISSING_SERVERS=allow");
        assertThat(sandbox.file("calls")).doesNotExist();
    }

    @Test
    void missingServersMayBeAllowedAndAreNamed() throws Exception {
        sandbox.script("servers", "echo \"redis-8 $PWD/server\"; exit 3");

        Result result = sandbox.run(Map.of("DELAYQUEUE_MISSING_SERVERS", "allow"), "run");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output()).contains("NOT TESTED ON redis-7", "tested on redis-8,", "NOT TESTED ON valkey-8");
    }

    @Test
    void engineForWhichNoTimeIsLeftIsNamed() throws Exception {
        Result result = sandbox.run(Map.of("DELAYQUEUE_CI_LAST_SERVER_MINUTE", "4"), "run");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output())
                .contains("Scripts (and not the engine, as the parts before took 0 minutes) tested on redis-8,");
        assertThat(Files.readAllLines(sandbox.file("calls")))
                .hasSize(7)
                .noneMatch(call -> call.contains("io.delayqueue.promises.**"));
    }

    @Test
    void serversForWhichNoTimeIsLeftAreNamed() throws Exception {
        Result result = sandbox.run(Map.of("DELAYQUEUE_CI_LAST_SERVER_MINUTE", "0"), "run");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output())
                .contains(
                        "NOT TESTED ON redis-7: the parts before took 0 minutes.", "NOT TESTED ON valkey-8: the parts");
        // everything on Redis 6.2
        assertThat(Files.readAllLines(sandbox.file("calls"))).hasSize(4);
    }

    @Test
    void failureToFetchAServerIsNeverAllowed() throws Exception {
        sandbox.script("servers", "exit 100");

        assertThat(sandbox.run(Map.of("DELAYQUEUE_MISSING_SERVERS", "allow"), "run")
                        .status())
                .isEqualTo(1);
    }

    @Test
    void selectionOfTestsThatMatchesNothingFailsTheRun() throws Exception {
        mavenWithout("model.");

        Result result = sandbox.run(Map.of(), "run");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("NO TEST WAS RUN that matches io.delayqueue.model.**");
    }

    @Test
    void journalThatRanOnNoDatabaseFailsTheRun() throws Exception {
        mavenWithout("jdbc.");

        Result result = sandbox.run(Map.of(), "run");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("NO TEST WAS RUN that matches io.delayqueue.jdbc.**");
    }

    @Test
    void journalThatDidNotRunOnMySqlFailsTheRunUnlessServersMayBeMissing() throws Exception {
        mavenWithout("jdbc.RelayTests");

        Result result = sandbox.run(Map.of(), "run");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("NO TEST WAS RUN that matches RelayTests");
        assertThat(sandbox.run(Map.of("DELAYQUEUE_MISSING_SERVERS", "allow"), "run")
                        .status())
                .isZero();
    }

    /** A build in which the databases are not required has another status here. */
    @Test
    void databasesAreRequiredUnlessServersMayBeMissing() throws Exception {
        sandbox.command("mvn", """
                        required=postgresql,mariadb
                        [[ $* != *-Pmysql* ]] || required=mysql
                        [[ ${DELAYQUEUE_REQUIRED_DATABASES:-} == "$required" ]] || exit 7
                        """ + Files.readString(sandbox.file("bin/mvn")));

        assertThat(sandbox.run(Map.of(), "run").status()).isZero();
        assertThat(sandbox.run(Map.of("DELAYQUEUE_MISSING_SERVERS", "allow"), "run")
                        .status())
                .isEqualTo(7);
    }

    /** A build in which the programs are not required has another status here. */
    @Test
    void programsOfTestsAreRequiredUnlessServersMayBeMissing() throws Exception {
        sandbox.command(
                "mvn",
                "[[ ${DELAYQUEUE_REQUIRED_PROGRAMS:-} == boto3,node,npm,curl,promtool,chromium,cc ]] || exit 7\n"
                        + Files.readString(sandbox.file("bin/mvn")));

        assertThat(sandbox.run(Map.of(), "run").status()).isZero();
        assertThat(sandbox.run(Map.of("DELAYQUEUE_MISSING_SERVERS", "allow"), "run")
                        .status())
                .isEqualTo(7);
    }

    @Test
    void soakThatWasSkippedFailsTheRun() throws Exception {
        sandbox.command(
                "mvn",
                Files.readString(sandbox.file("bin/mvn"))
                        .replace(
                                "SoakTests\" tests=\"2\" errors=\"0\" skipped=\"0\"",
                                "SoakTests\" tests=\"2\" errors=\"0\" skipped=\"2\""));

        Result result = sandbox.run(Map.of(), "run");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("NO TEST WAS RUN that matches SoakTests");
    }

    @Test
    void serversComeOutOfDockersImagesWhereDebiansAreNotTaken() throws Exception {
        sandbox.copy("servers");
        sandbox.command("docker", """
                echo "$*" >>docker-calls
                case $1 in
                    create) echo container ;;
                    cp) cat >"$4" <<<'#!/bin/bash
                echo v=8' ;;
                esac
                """);

        Result result = sandbox.run(Map.of("DELAYQUEUE_SERVERS_FROM", "docker"), "servers", "redis-7", "valkey-8");

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output().lines())
                .contains("redis-7 " + sandbox.file("servers/redis-7"), "valkey-8 " + sandbox.file("servers/valkey-8"));
        assertThat(Files.readString(sandbox.file("docker-calls")))
                .containsPattern("create redis:7\\S*@sha256:[0-9a-f]{64}\n")
                .containsPattern("create valkey/valkey:8\\S*@sha256:[0-9a-f]{64}\n");
    }

    @Test
    void serverThatNobodyOffersIsNamedAndTheStatusSaysSo() throws Exception {
        sandbox.copy("servers");

        Result result = sandbox.run(Map.of("DELAYQUEUE_SERVERS_FROM", "docker"), "servers", "redis-8");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.output()).contains("NOT AVAILABLE: redis-8");
    }

    @Test
    void unknownServerIsRefused() throws Exception {
        sandbox.copy("servers");

        Result result = sandbox.run(Map.of("DELAYQUEUE_SERVERS_FROM", "docker"), "servers", "redis-5");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.output()).contains("no such server: redis-5");
    }
}
