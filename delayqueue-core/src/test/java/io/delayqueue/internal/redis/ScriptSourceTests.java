package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScriptSourceTests {

    private final Map<String, String> files = new HashMap<>();

    @Test
    void scriptWithoutIncludesStaysAsItIs() {
        files.put("main.lua", "-- a comment\nreturn 1\n");

        assertThat(expand()).isEqualTo("-- a comment\nreturn 1\n");
    }

    @Test
    void includeIsReplacedByItsCode() {
        files.put("main.lua", "--@include one\nreturn one() + 1\n");
        files.put("include/one.lua", "-- One.\nlocal function one()\n  return 1\nend\n");

        assertThat(expand()).isEqualTo("local function one() return 1 end\nreturn one() + 1\n");
        assertThat(run()).isEqualTo(2L);
    }

    @Test
    void includeMayStandInAFolder() {
        files.put("main.lua", "local a = 1\n--@include step/one\nreturn a\n");
        files.put("include/step/one.lua", "a = a + 1\n");

        assertThat(expand()).isEqualTo("local a = 1\na = a + 1\nreturn a\n");
    }

    @Test
    void includesMayIncludeOthersAndEachStandsThereOnce() {
        files.put("main.lua", "--@include a\n--@include b\n--@include a\nreturn a + b\n");
        files.put("include/a.lua", "--@include c\nlocal a = c\n");
        files.put("include/b.lua", "--@include c\nlocal b = c\n");
        files.put("include/c.lua", "local c = 7\n");

        assertThat(expand()).isEqualTo("local c = 7 local a = c\nlocal b = c\n\nreturn a + b\n");
        assertThat(run()).isEqualTo(14L);
    }

    @Test
    void includeMayStandInABranch() {
        files.put("main.lua", "if true then\n  --@include a\n  return a\nend\nreturn 0\n");
        files.put("include/a.lua", "local a = 5\n");

        assertThat(run()).isEqualTo(5L);
    }

    @Test
    void errorsNameTheLineOfTheScriptItself() {
        files.put("main.lua", "-- PURPOSE  Fails.\n--@include long\nlocal x = 1\nerror('oh')\n");
        files.put("include/long.lua", "local a = 1\n\n-- why\nlocal b = 2\nlocal c = 3\n");

        assertThatThrownBy(this::run)
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("user_script:4: oh");
    }

    @Test
    void errorInAnIncludeNamesTheLineOfTheDirective() {
        files.put("main.lua", "-- PURPOSE  Fails.\n--@include failing\nreturn fail()\n");
        files.put("include/failing.lua", "local function fail()\n  error('oh')\nend\n");

        assertThatThrownBy(this::run).hasMessageContaining("user_script:2: oh");
    }

    @Test
    void missingIncludeIsNamedWithTheScriptThatNeedsIt() {
        files.put("main.lua", "--@include a\n");
        files.put("include/a.lua", "--@include missing\n");

        assertThatIllegalStateException()
                .isThrownBy(this::expand)
                .withMessageContaining("include/missing.lua")
                .withMessageContaining("needed by main.lua");
    }

    @Test
    void missingScriptIsNamed() {
        assertThatIllegalStateException().isThrownBy(this::expand).withMessageContaining("lacks main.lua");
    }

    @Test
    void cycleIsNamedFromItsBeginning() {
        files.put("main.lua", "--@include a\n");
        files.put("include/a.lua", "--@include b\n");
        files.put("include/b.lua", "--@include a\n");

        assertThatIllegalStateException()
                .isThrownBy(this::expand)
                .withMessageContaining("main.lua -> include/a.lua -> include/b.lua -> include/a.lua");
    }

    @Test
    void commentBehindCodeOfAnIncludeIsRefused() {
        files.put("main.lua", "--@include a\n");
        files.put("include/a.lua", "local a = 1 -- one\nlocal b = 2\n");

        assertThatIllegalStateException()
                .isThrownBy(this::expand)
                .withMessageContaining("include/a.lua")
                .withMessageContaining("local a = 1 -- one");
    }

    @Test
    void digestIsThatOfTheExpandedSource() {
        assertThat(RedisServer.commands().scriptLoad(Script.CLAIM.source())).isEqualTo(Script.CLAIM.digest());
        assertThat(new String(Script.CLAIM.source(), StandardCharsets.UTF_8)).doesNotContain("--@include");
    }

    private String expand() {
        return ScriptSource.expand("main.lua", files::get);
    }

    private Object run() {
        return RedisServer.commands().eval(expand(), ScriptOutputType.INTEGER);
    }
}
