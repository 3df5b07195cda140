package io.delayqueue.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.delayqueue.testsupport.PlayedTime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Tests wait for facts, not for time. */
@AnalyzeClasses(packages = "io.delayqueue", importOptions = ImportOption.OnlyIncludeTests.class)
class SleeplessTestsTests {

    @ArchTest
    static final ArchRule onlyTheTimeThatATestPlaysIsSlept = noClasses()
            .that()
            .doNotBelongToAnyOf(PlayedTime.class)
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", long.class, int.class)
            .orShould()
            .callMethod(Thread.class, "sleep", Duration.class)
            .orShould()
            .callMethod(TimeUnit.class, "sleep", long.class);
}
