package io.delayqueue.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.ScheduleResult;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.Names;
import io.delayqueue.internal.ReceiptData;
import io.delayqueue.internal.wiring.DelayQueueClientFactory;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;

/** Which package may know which: the rules of the packages' descriptions. */
@AnalyzeClasses(packages = "io.delayqueue", importOptions = CoreOnly.class)
class ArchitectureTests {

    private static final String API = "io.delayqueue";
    private static final String STORE = "io.delayqueue.internal.store..";
    private static final String ENGINE = "io.delayqueue.internal.engine..";
    private static final String REDIS = "io.delayqueue.internal.redis..";
    private static final String[] JDK = {"java..", "org.jspecify.."};

    @ArchTest
    static final ArchRule coreKnowsNoFrameworkAndNoDatabase = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework..",
                    "io.micrometer..",
                    "tools.jackson..",
                    "com.fasterxml..",
                    "jakarta..",
                    "java.sql..",
                    "javax.sql..");

    @ArchTest
    static final ArchRule lettuceIsKnownToTheRedisSideAndItsFactoryOnly = noClasses()
            .that()
            .resideOutsideOfPackage(REDIS)
            .and()
            .doNotBelongToAnyOf(DelayQueueClientFactory.class, DelayQueueClient.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.lettuce..", "io.netty..", "reactor..");

    /** Due times, leases and waits are Redis' time or monotonic time. See {@code ClientClocksTests}, too. */
    @ArchTest
    static final ArchRule wallClockIsReadWhereItOnlyInformsSomebody = noClasses()
            .that()
            .haveNameNotMatching(
                    "io\\.delayqueue\\.(MessageIds|internal\\.redis\\.(Requests|OutboxRequest|ServerInspection.*))")
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Clock.class, Date.class);

    @ArchTest
    static final ArchRule apiMeetsLettuceInCreateOnly = methods()
            .that()
            .areDeclaredIn(DelayQueueClient.class)
            .and()
            .haveRawParameterTypes(resideInAnyLettucePackage())
            .should()
            .haveName("create");

    /** Error Prone and other checkers refuse a call that ignores its result: a duplicate is rejected without an exception. */
    @ArchTest
    static final ArchRule theOutcomeOfASchedulingCallMustNotBeIgnored = methods()
            .that(describe(
                    "tell the outcome of scheduling",
                    (JavaMethod method) -> method.getReturnType().getAllInvolvedRawTypes().stream()
                            .anyMatch(type -> type.isEquivalentTo(ScheduleResult.class))))
            .and()
            .areDeclaredInClassesThat()
            .resideInAPackage(API)
            .and()
            .areDeclaredInClassesThat()
            .areInterfaces()
            .should()
            .beAnnotatedWith("io.delayqueue.CheckReturnValue");

    @ArchTest
    static final ArchRule engineDoesNotSeeRedis = noClasses()
            .that()
            .resideInAPackage(ENGINE)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(REDIS);

    @ArchTest
    static final ArchRule redisDoesNotSeeTheEngine = noClasses()
            .that()
            .resideInAPackage(REDIS)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ENGINE);

    @ArchTest
    static final ArchRule storeDependsOnTheApiOnly = classes()
            .that()
            .resideInAPackage(STORE)
            .should()
            .onlyDependOnClassesThat(
                    resideInAPackage(API).or(resideInAPackage(STORE)).or(resideInAnyPackage(JDK)));

    /** Names checks input where it comes in; a receipt hides its content; an asynchronous handler's failure is found as others are. */
    @ArchTest
    static final ArchRule apiKnowsOfTheInsideOnlyTheFactoryAndHelpers = noClasses()
            .that()
            .resideInAPackage(API)
            .should()
            .dependOnClassesThat(resideInAPackage("io.delayqueue.internal..")
                    .and(not(belongToAnyOf(
                            DelayQueueClientFactory.class, Names.class, ReceiptData.class, FutureErrors.class))));

    /** A message's way leads in one direction through the classes of these packages, too. */
    @ArchTest
    static final ArchRule classesOfAMessagesWayHaveNoCycles = slices().assignedFrom(new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
                    return javaClass.getPackageName().matches(".*\\.engine\\.(consume|settle|shared)")
                            ? SliceIdentifier.of(javaClass.getName().replaceAll("\\$.*", ""))
                            : SliceIdentifier.ignore();
                }

                @Override
                public String getDescription() {
                    return "classes of consume, settle and shared";
                }
            })
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule packagesOfTheInsideHaveNoCycles =
            slices().matching("io.delayqueue.internal.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule namesTellWhatAClassDoes = noClasses()
            .should()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils")
            .orShould()
            .haveSimpleNameEndingWith("Impl")
            .orShould()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameEndingWith("Helper")
            .orShould()
            .haveSimpleNameStartingWith("Base")
            .orShould()
            .haveSimpleNameStartingWith("Abstract");

    /** It pins virtual threads. The blocks, which byte code shows as no more than an instruction, are looked for in the sources. */
    @ArchTest
    static final ArchRule noMethodIsSynchronized = noMethods().should(have(modifier(SYNCHRONIZED)));

    @ArchTest
    static final ArchRule nothingSleeps = noClasses().should().callMethod(Thread.class, "sleep", long.class);

    @ArchTest
    static final ArchRule nothingSleepsByUnitEither = noClasses()
            .should()
            .callMethod(TimeUnit.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", long.class, int.class);

    @ArchTest
    static final ArchRule helpersOfAllPartsDependOnNoPart = classes()
            .that()
            .resideInAPackage("io.delayqueue.internal")
            .should()
            .onlyDependOnClassesThat(resideInAPackage("io.delayqueue.internal").or(resideInAnyPackage(JDK)));

    @ArchTest
    static final ArchRule onlyTheApiCreatesClients = classes()
            .that()
            .resideInAPackage("io.delayqueue.internal.wiring")
            .should()
            .onlyHaveDependentClassesThat()
            .resideInAnyPackage(API, "io.delayqueue.internal.wiring");

    /** Messages come to it by the packages around it. */
    @ArchTest
    static final ArchRule dispatchDoesNotSeeTheStore = noClasses()
            .that()
            .resideInAPackage("io.delayqueue.internal.engine.dispatch")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(STORE);

    /** A message's way reads in one direction: engine, consume, dispatch, settle; all of them use shared. */
    @ArchTest
    static final ArchRule theEnginesPackagesDependInOneDirection = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("engine")
            .definedBy("io.delayqueue.internal.engine")
            .layer("consume")
            .definedBy("io.delayqueue.internal.engine.consume")
            .layer("dispatch")
            .definedBy("io.delayqueue.internal.engine.dispatch")
            .layer("settle")
            .definedBy("io.delayqueue.internal.engine.settle")
            .layer("shared")
            .definedBy("io.delayqueue.internal.engine.shared")
            .whereLayer("engine")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("consume")
            .mayOnlyBeAccessedByLayers("engine")
            .whereLayer("dispatch")
            .mayOnlyBeAccessedByLayers("engine", "consume")
            .whereLayer("settle")
            .mayOnlyBeAccessedByLayers("consume", "dispatch")
            .whereLayer("shared")
            .mayOnlyBeAccessedByLayers("engine", "consume", "dispatch", "settle");

    @ArchTest
    static final ArchRule insideIsPublicOnlyWhereAnotherPackageNeedsIt = classes()
            .that()
            .resideInAnyPackage(ENGINE, REDIS)
            .and()
            .areTopLevelClasses()
            .and()
            .arePublic()
            .should(beUsedByAnotherPackage());

    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes().should(beInANullMarkedPackage());

    private static DescribedPredicate<List<JavaClass>> resideInAnyLettucePackage() {
        return describe(
                "of Lettuce",
                types -> types.stream().anyMatch(type -> type.getPackageName().startsWith("io.lettuce")));
    }

    private static ArchCondition<JavaClass> beUsedByAnotherPackage() {
        return new ArchCondition<>("be used by another package") {
            @Override
            public void check(JavaClass item, ConditionEvents events) {
                boolean used = item.getDirectDependenciesToSelf().stream()
                        .anyMatch(dependency ->
                                !dependency.getOriginClass().getPackageName().equals(item.getPackageName()));
                events.add(new SimpleConditionEvent(
                        item, used, item.getName() + " is public, but no other package uses it"));
            }
        };
    }

    private static ArchCondition<JavaClass> beInANullMarkedPackage() {
        return new ArchCondition<>("be in a @NullMarked package") {
            @Override
            public void check(JavaClass item, ConditionEvents events) {
                boolean marked = item.getPackage()
                        .tryGetPackageInfo()
                        .map(info -> info.isAnnotatedWith(NullMarked.class))
                        .orElse(false);
                events.add(new SimpleConditionEvent(
                        item, marked, item.getName() + " is in package " + item.getPackageName()));
            }
        };
    }
}
