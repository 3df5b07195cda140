package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Public names that a user's IDE does not offer twice. */
class PublicNamesTests {

    /** Its name is as in the documented API; spring-messaging's own is seldom imported by an application with listeners. */
    private static final String MESSAGE_HANDLER = "MessageHandler";

    @Test
    void noPublicTypeSharesItsNameWithJavaUtilConcurrentOrSpringMessaging() {
        Set<String> taken = publicNames("java.util.concurrent", "org.springframework.messaging");
        Set<String> ours = publicNames("io.delayqueue");

        assertThat(taken).contains("DelayQueue", "Message", MESSAGE_HANDLER);
        assertThat(ours).contains("DelayQueueClient", "ReceivedMessage", "DelayQueueTemplate", MESSAGE_HANDLER);
        assertThat(ours.stream().filter(taken::contains)).containsExactly(MESSAGE_HANDLER);
    }

    /** Simple names of the public top-level types of these packages and those below. */
    private static Set<String> publicNames(String... packages) {
        return new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .withImportOption(location -> !location.contains("io/delayqueue/internal/"))
                        .importPackages(packages)
                        .stream()
                        .filter(type ->
                                type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName)
                        .collect(Collectors.toSet());
    }
}
