package io.delayqueue.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Rules that reviewers would otherwise repeat. */
@AnalyzeClasses(packages = "io.delayqueue.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule THE_CORES_INTERNALS_ARE_ITS_OWN =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.delayqueue.internal..");

    @ArchTest
    static final ArchRule PACKAGES_ARE_FREE_OF_CYCLES =
            slices().matching("io.delayqueue.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_THE_AUTO_CONFIGURATION = noClasses()
            .that()
            .resideOutsideOfPackages("..autoconfigure..", "..diagnostics..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.delayqueue.spring.autoconfigure..", "io.delayqueue.spring.diagnostics..");

    @ArchTest
    static final ArchRule ONLY_AUTO_CONFIGURATION_SEES_THE_REDIS_CLIENT = noClasses()
            .that()
            .resideOutsideOfPackage("..autoconfigure..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.lettuce..", "org.springframework.data..");

    @ArchTest
    static final ArchRule TEMPLATE_AND_LISTENERS_KNOW_NOTHING_OF_BOOT = noClasses()
            .that()
            .resideInAnyPackage("io.delayqueue.spring", "io.delayqueue.spring.listener", "io.delayqueue.spring.event")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot..", "io.micrometer..");

    @ArchTest
    static final ArchRule TEMPLATE_KNOWS_NOTHING_OF_LISTENERS = noClasses()
            .that()
            .resideInAPackage("io.delayqueue.spring")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.delayqueue.spring.*..");

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
