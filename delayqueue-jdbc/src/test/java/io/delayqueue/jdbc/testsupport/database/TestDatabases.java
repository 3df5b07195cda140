package io.delayqueue.jdbc.testsupport.database;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Makes a fresh database of each kind that a test runs on. JUnit closes each behind its test. */
final class TestDatabases implements ArgumentsProvider {

    /** {@code everyday}, {@code all}, or names of kinds with commas between. */
    private static final String SELECTED = System.getProperty("test.databases", "everyday");

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        DatabaseServers servers = DatabaseServers.of(context);
        List<DatabaseKind> named = List.of(context.getRequiredTestMethod()
                .getAnnotation(EachDatabase.class)
                .value());
        Everyday everyday = context.getRequiredTestClass().getAnnotation(Everyday.class);
        return selected(SELECTED, named, everyday == null ? DatabaseKind.POSTGRESQL : everyday.value(), servers)
                .map(kind -> Arguments.of(servers.newDatabase(kind)));
    }

    private static Stream<DatabaseKind> selected(
            String selected, List<DatabaseKind> named, DatabaseKind everyday, DatabaseServers servers) {
        if (selected.equals("all")) {
            return named.stream().filter(TestDatabases::isUsual).filter(servers::isAvailable);
        }
        if (selected.equals("everyday")) {
            return Stream.concat(named.stream().filter(everyday::equals), named.stream())
                    .filter(TestDatabases::isUsual)
                    .filter(servers::isAvailable)
                    .limit(1);
        }
        Set<DatabaseKind> kinds = Arrays.stream(selected.split(","))
                .map(kind -> DatabaseKind.valueOf(kind.strip().toUpperCase(Locale.ROOT)))
                .collect(Collectors.toSet());
        return named.stream().filter(kinds::contains).filter(servers::isAvailable);
    }

    /** Tests run on MySQL only where somebody asks for it: MariaDB stands for both. */
    private static boolean isUsual(DatabaseKind kind) {
        return kind != DatabaseKind.MYSQL || System.getenv(kind.variable()) != null;
    }
}
