package io.delayqueue.jdbc.database;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Makes a fresh database of each kind that runs here. JUnit closes each behind its test. */
final class TestDatabases implements ArgumentsProvider {

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        DatabaseServers servers = DatabaseServers.of(context);
        EachDatabase wanted = context.getRequiredTestMethod().getAnnotation(EachDatabase.class);
        return Arrays.stream(wanted.value())
                .filter(servers::isAvailable)
                .map(kind -> Arguments.of(servers.newDatabase(kind)));
    }
}
