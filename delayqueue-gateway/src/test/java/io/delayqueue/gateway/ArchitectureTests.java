package io.delayqueue.gateway;

import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.conditions.ArchConditions.never;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import io.delayqueue.gateway.security.BearerTokens;
import io.delayqueue.gateway.security.Secrets;
import io.delayqueue.gateway.sqs.signature.SignatureV4;
import java.security.MessageDigest;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Which package of the gateway may know which, and rules that reviewers would otherwise repeat. */
@AnalyzeClasses(packages = "io.delayqueue.gateway", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    private static final String ROOT = "io.delayqueue.gateway";

    @ArchTest
    static final ArchRule THE_CORES_INTERNALS_ARE_ITS_OWN =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.delayqueue.internal..");

    @ArchTest
    static final ArchRule PACKAGES_ARE_FREE_OF_CYCLES =
            slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule PACKAGES_OF_THE_HTTP_API_ARE_FREE_OF_CYCLES =
            slices().matching(ROOT + ".http.(*)..").should().beFreeOfCycles();

    /** Each of the three endpoints can be left out: they share callers and claims. */
    @ArchTest
    static final ArchRule ENDPOINTS_DO_NOT_KNOW_EACH_OTHER = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("security")
            .definedBy(ROOT + ".security..")
            .layer("claim")
            .definedBy(ROOT + ".claim..")
            .layer("http")
            .definedBy(ROOT + ".http..")
            .layer("sqs")
            .definedBy(ROOT + ".sqs..")
            .layer("callback")
            .definedBy(ROOT + ".callback..")
            .layer("autoconfigure")
            .definedBy(ROOT + ".autoconfigure..")
            .layer("diagnostics")
            .definedBy(ROOT + ".diagnostics..")
            .whereLayer("security")
            .mayNotAccessAnyLayer()
            .whereLayer("claim")
            .mayNotAccessAnyLayer()
            .whereLayer("http")
            .mayOnlyAccessLayers("security", "claim")
            .whereLayer("sqs")
            .mayOnlyAccessLayers("security", "claim")
            .whereLayer("callback")
            .mayNotAccessAnyLayer()
            .whereLayer("autoconfigure")
            .mayOnlyBeAccessedByLayers("diagnostics")
            .whereLayer("diagnostics")
            .mayNotBeAccessedByAnyLayer();

    /** Their jars are optional. */
    @ArchTest
    static final ArchRule THE_JOURNAL_IS_KNOWN_IN_ONE_PACKAGE_ONLY = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + ".http.journal", ROOT + ".autoconfigure")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.delayqueue.jdbc..");

    @ArchTest
    static final ArchRule SPRING_SECURITY_IS_NOT_NEEDED =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework.security..");

    @ArchTest
    static final ArchRule CALLBACKS_ALONE_KNOW_THEIR_CLIENT = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + ".callback..", ROOT + ".autoconfigure")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.hc..");

    /** How long a comparison takes must not tell how much of a guess is right. A test that takes the time would not show it. */
    @ArchTest
    static final ArchRule ONE_CLASS_COMPARES_SECRETS_IN_CONSTANT_TIME = classes()
            .that()
            .belongToAnyOf(Secrets.class)
            .should()
            .callMethod(MessageDigest.class, "isEqual", byte[].class, byte[].class)
            .andShould(never(compareAsOthers()));

    @ArchTest
    static final ArchRule NO_OTHER_CLASS_COMPARES_SECRETS = noClasses()
            .that()
            .doNotBelongToAnyOf(Secrets.class)
            .should()
            .callMethod(MessageDigest.class, "isEqual", byte[].class, byte[].class);

    /** Both classes hash the secret of a client, and let {@link Secrets} compare the hashes. They compare nothing themselves. */
    @ArchTest
    static final ArchRule TOKENS_AND_SIGNATURES_ARE_COMPARED_BY_THAT_CLASS = classes()
            .that()
            .belongToAnyOf(BearerTokens.class, SignatureV4.class)
            .should()
            .callMethod(Secrets.class, "sha256", String.class)
            .andShould()
            .callMethod(Secrets.class, "areEqual", byte[].class, byte[].class)
            .andShould(never(compareAsOthers()));

    @ArchTest
    static final ArchRule NO_OTHER_CLASS_SEES_A_SIGNATURE = noClasses()
            .that()
            .doNotBelongToAnyOf(SignatureV4.class)
            .should()
            .callMethod(SignatureV4.class.getPackageName() + ".Authorization", "signature");

    /** These end at the first difference. */
    private static ArchCondition<JavaClass> compareAsOthers() {
        Set<String> names = Set.of(
                "equals",
                "equalsIgnoreCase",
                "contentEquals",
                "compareTo",
                "compareToIgnoreCase",
                "compare",
                "mismatch");
        return callMethodWhere(DescribedPredicate.describe(
                "it compares values and ends at the first difference",
                call -> names.contains(call.getTarget().getName())));
    }

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
