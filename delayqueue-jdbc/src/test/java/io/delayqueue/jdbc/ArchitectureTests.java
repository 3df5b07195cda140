package io.delayqueue.jdbc;

import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Which package of the journal may know which, and rules that reviewers would otherwise repeat. */
@AnalyzeClasses(packages = "io.delayqueue.jdbc", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    private static final String ROOT = "io.delayqueue.jdbc";

    @ArchTest
    static final ArchRule THE_CORES_INTERNALS_ARE_ITS_OWN =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.delayqueue.internal..");

    @ArchTest
    static final ArchRule PACKAGES_ARE_FREE_OF_CYCLES =
            slices().matching("io.delayqueue.(**)").should().beFreeOfCycles();

    /** A message's way reads in one direction: outbox, relay, audit, restore. All of them use the root, dialect and support. */
    @ArchTest
    static final ArchRule PACKAGES_DEPEND_IN_ONE_DIRECTION = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("root")
            .definedBy(ROOT)
            .layer("dialect")
            .definedBy(ROOT + ".dialect")
            .layer("support")
            .definedBy(ROOT + ".support")
            .layer("schema")
            .definedBy(ROOT + ".schema")
            .layer("outbox")
            .definedBy(ROOT + ".outbox")
            .layer("relay")
            .definedBy(ROOT + ".relay")
            .layer("audit")
            .definedBy(ROOT + ".audit")
            .layer("restore")
            .definedBy(ROOT + ".restore")
            .layer("inbox")
            .definedBy(ROOT + ".inbox")
            .layer("retention")
            .definedBy(ROOT + ".retention")
            .layer("operation")
            .definedBy(ROOT + ".actuate", ROOT + ".health", ROOT + ".metrics")
            .layer("autoconfigure")
            .definedBy(ROOT + ".autoconfigure")
            .layer("diagnostics")
            .definedBy(ROOT + ".diagnostics")
            .whereLayer("root")
            .mayNotAccessAnyLayer()
            .whereLayer("dialect")
            .mayNotAccessAnyLayer()
            .whereLayer("support")
            .mayOnlyAccessLayers("dialect")
            .whereLayer("schema")
            .mayOnlyAccessLayers("root", "dialect", "support")
            .whereLayer("outbox")
            .mayOnlyAccessLayers("root", "dialect", "support")
            .whereLayer("relay")
            .mayOnlyAccessLayers("root", "dialect", "support", "outbox")
            .whereLayer("audit")
            .mayOnlyAccessLayers("root", "dialect", "support", "outbox", "relay")
            .whereLayer("restore")
            .mayOnlyAccessLayers("root", "dialect", "support", "outbox", "relay", "audit")
            .whereLayer("inbox")
            .mayOnlyAccessLayers("root", "dialect", "support")
            .whereLayer("retention")
            .mayOnlyAccessLayers("root", "dialect", "support")
            .whereLayer("operation")
            .mayOnlyBeAccessedByLayers("autoconfigure")
            .whereLayer("autoconfigure")
            .mayOnlyBeAccessedByLayers("diagnostics")
            .whereLayer("diagnostics")
            .mayNotBeAccessedByAnyLayer();

    /** They may be used without Boot, and a jar that is missing switches off no more than its own feature. */
    @ArchTest
    static final ArchRule WRITING_SENDING_AND_RESTORING_KNOW_NOTHING_OF_BOOT = noClasses()
            .that()
            .resideInAnyPackage(
                    ROOT,
                    ROOT + ".support",
                    ROOT + ".outbox",
                    ROOT + ".relay",
                    ROOT + ".audit",
                    ROOT + ".restore",
                    ROOT + ".inbox",
                    ROOT + ".retention")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot..", "io.micrometer..");

    @ArchTest
    static final ArchRule REDIS_IS_KNOWN_TO_THE_CORE_ONLY = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.lettuce..", "io.netty..", "org.springframework.data..");

    @ArchTest
    static final ArchRule SQL_IS_NO_OBJECT_RELATIONAL_MAPPER = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jakarta.persistence..", "org.hibernate..", "org.springframework.orm..");

    /** Due times are the database's or Redis' time; what passes meanwhile is monotonic time. */
    @ArchTest
    static final ArchRule NO_CLOCK_OF_THE_MACHINE_DECIDES = noClasses()
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Clock.class, Date.class);

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
