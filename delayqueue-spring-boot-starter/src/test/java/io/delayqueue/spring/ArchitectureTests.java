package io.delayqueue.spring;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import io.delayqueue.ScheduleResult;
import org.jspecify.annotations.NullMarked;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.lang.CheckReturnValue;

/** Dependencies between packages, and rules that reviewers would otherwise repeat. */
@AnalyzeClasses(packages = "io.delayqueue.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    /** The actuator endpoint's wire format, nested records included. */
    private static final String DESCRIPTOR = "io\\.delayqueue\\.spring\\.actuate\\.\\w+Descriptor(\\$\\w+)?";

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
            .resideInAnyPackage(
                    "io.delayqueue.spring",
                    "io.delayqueue.spring.annotation",
                    "io.delayqueue.spring.listener",
                    "io.delayqueue.spring.event")
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
    static final ArchRule ANNOTATIONS_DEPEND_ON_NO_OTHER_PACKAGE = noClasses()
            .that()
            .resideInAPackage("io.delayqueue.spring.annotation")
            .should()
            .dependOnClassesThat(
                    resideInAPackage("io.delayqueue..").and(resideOutsideOfPackage("io.delayqueue.spring.annotation")));

    @ArchTest
    static final ArchRule DESCRIPTORS_DEPEND_ON_NO_OTHER_TYPE_OF_THE_LIBRARY = noClasses()
            .that()
            .haveNameMatching(DESCRIPTOR)
            .should()
            .dependOnClassesThat(resideInAPackage("io.delayqueue..").and(not(nameMatching(DESCRIPTOR))));

    @ArchTest
    static final ArchRule THE_ENDPOINT_ANSWERS_WITH_DESCRIPTORS =
            methods().that().areAnnotatedWith(ReadOperation.class).should().haveRawReturnType(nameMatching(DESCRIPTOR));

    @ArchTest
    static final ArchRule ITS_CHANGES_ANSWER_WITH_DESCRIPTORS_TOO = methods()
            .that()
            .areAnnotatedWith(WriteOperation.class)
            .should()
            .haveRawReturnType(nameMatching(DESCRIPTOR))
            .orShould(answerWithAStatusAndADescriptor());

    /** Over HTTP. */
    private static ArchCondition<JavaMethod> answerWithAStatusAndADescriptor() {
        return ArchCondition.from(describe(
                "answer with a status and a descriptor",
                method -> method.getRawReturnType().isEquivalentTo(WebEndpointResponse.class)
                        && method.getReturnType().getAllInvolvedRawTypes().stream()
                                .allMatch(type -> type.isEquivalentTo(WebEndpointResponse.class)
                                        || type.getName().matches(DESCRIPTOR))));
    }

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

    /** Error Prone and other checkers refuse a call that ignores its result: a duplicate is rejected without an exception. */
    @ArchTest
    static final ArchRule OUTCOMES_OF_SCHEDULING_MUST_NOT_BE_IGNORED = methods()
            .that(describe(
                    "tell the outcome of scheduling",
                    (JavaMethod method) -> method.getReturnType().getAllInvolvedRawTypes().stream()
                            .anyMatch(type -> type.isEquivalentTo(ScheduleResult.class))))
            .and()
            .areDeclaredInClassesThat()
            .areInterfaces()
            .and()
            .areDeclaredInClassesThat()
            .arePublic()
            .should()
            .beAnnotatedWith(CheckReturnValue.class);

    @ArchTest
    static final ArchRule PACKAGES_ARE_NULL_MARKED =
            classes().that().haveSimpleName("package-info").should().beAnnotatedWith(NullMarked.class);
}
