package io.delayqueue.dashboard;

import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.delayqueue.DelayQueueClient;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Which package of the dashboard may know what, and rules that reviewers would otherwise repeat. */
@AnalyzeClasses(packages = "io.delayqueue.dashboard", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    private static final String ROOT = "io.delayqueue.dashboard";

    @ArchTest
    static final ArchRule THE_CORES_INTERNALS_ARE_ITS_OWN =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.delayqueue.internal..");

    /** It checks rights, and tells each change. */
    @ArchTest
    static final ArchRule ONLY_THE_OPERATOR_IS_ASKED =
            noClasses().should().dependOnClassesThat().areAssignableTo(DelayQueueClient.class);

    @ArchTest
    static final ArchRule PACKAGES_ARE_FREE_OF_CYCLES =
            slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

    /** Its jar is optional. */
    @ArchTest
    static final ArchRule SPRING_SECURITY_IS_KNOWN_IN_TWO_CLASSES_ONLY = noClasses()
            .that()
            .haveSimpleNameNotStartingWith("SpringSecurity")
            .and()
            .haveSimpleNameNotStartingWith("DashboardRequest")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.security..");

    /** It pins virtual threads. */
    @ArchTest
    static final ArchRule NO_METHOD_IS_SYNCHRONIZED = noMethods().should(have(modifier(SYNCHRONIZED)));

    @ArchTest
    static final ArchRule NOTHING_SLEEPS = noClasses()
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(TimeUnit.class, "sleep", long.class);

    @ArchTest
    static final ArchRule AUTO_CONFIGURATIONS_ARE_PUBLIC_AND_FINAL = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .bePublic()
            .andShould()
            .haveModifier(JavaModifier.FINAL)
            .andShould()
            .haveSimpleNameEndingWith("AutoConfiguration");

    @ArchTest
    static final ArchRule BEAN_METHODS_ARE_PACKAGE_PRIVATE =
            methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate();

    @ArchTest
    static final ArchRule PACKAGES_ARE_NULL_MARKED =
            classes().that().haveSimpleName("package-info").should().beAnnotatedWith(NullMarked.class);
}
