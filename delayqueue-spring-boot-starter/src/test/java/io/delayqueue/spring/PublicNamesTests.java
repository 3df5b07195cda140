package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.classreading.CachingMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/** Public names that a user's IDE does not offer twice. */
class PublicNamesTests {

    /** Decision 020; spring-messaging's type of this name is not for applications with listener methods. */
    private static final String MESSAGE_HANDLER = "MessageHandler";

    /** Decision 020; the one of java.util.concurrent is nested, so code names it Flow.Subscription. */
    private static final String SUBSCRIPTION = "Subscription";

    private final CachingMetadataReaderFactory metadata = new CachingMetadataReaderFactory();

    @Test
    void noPublicTypeSharesItsNameWithJavaUtilConcurrentOrSpringMessaging() throws IOException {
        Set<String> ours = simpleNames("io/delayqueue", PublicNamesTests::isPublicApi);
        Set<String> messaging = simpleNames("org/springframework/messaging", type -> true);

        assertThat(ours)
                .contains("DelayQueueClient", "ReceivedMessage", "DelayQueueTemplate", MESSAGE_HANDLER, SUBSCRIPTION);
        assertThat(messaging).contains("Message", MESSAGE_HANDLER);
        assertThat(isOfJavaUtilConcurrent("DelayQueue")).isTrue();
        assertThat(ours.stream().filter(PublicNamesTests::isOfJavaUtilConcurrent))
                .containsExactly(SUBSCRIPTION);
        assertThat(ours.stream().filter(messaging::contains)).containsExactly(MESSAGE_HANDLER);
    }

    /** Simple names of the top-level types in this folder of the class path and those below. */
    private Set<String> simpleNames(String folder, Predicate<String> accepted) throws IOException {
        Set<String> names = new TreeSet<>();
        for (Resource file :
                new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + "/**/*.class")) {
            String type = metadata.getMetadataReader(file).getClassMetadata().getClassName();
            if (!type.contains("$") && !type.endsWith("package-info") && accepted.test(type)) {
                names.add(ClassUtils.getShortName(type));
            }
        }
        return names;
    }

    private static boolean isPublicApi(String type) {
        return !type.startsWith("io.delayqueue.internal.")
                && !type.startsWith("io.delayqueue.test.")
                && !type.contains(".testsupport.")
                && Modifier.isPublic(ClassUtils.resolveClassName(type, null).getModifiers());
    }

    private static boolean isOfJavaUtilConcurrent(String name) {
        return Stream.of(
                        "java.util.concurrent.",
                        "java.util.concurrent.Flow$",
                        "java.util.concurrent.atomic.",
                        "java.util.concurrent.locks.")
                .anyMatch(folder -> ClassUtils.isPresent(folder + name, null));
    }
}
