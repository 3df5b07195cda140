package io.delayqueue.jdbc.schema;

import io.delayqueue.jdbc.support.JournalTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;

/**
 * Creates the journal's tables if they are missing, by the script of the database's platform. Scripts name tables with
 * {@link JournalTables#DEFAULT_PREFIX}, which is replaced by the configured prefix. May be registered as a bean to replace the
 * auto-configured one.
 */
public class JournalSchemaInitializer extends DataSourceScriptDatabaseInitializer {

    /** Location of the scripts. */
    public static final String DEFAULT_LOCATION = "classpath:io/delayqueue/jdbc/schema-@@platform@@.sql";

    /** More than a script has statements: each attempt gets further than the one before. */
    private static final int MAX_ATTEMPTS = 20;

    private final JournalTables tables;
    private final JournalSchema schema;
    private final String location;

    /**
     * An initializer.
     *
     * @param dataSource the journal's database
     * @param location location of the script; {@code @@platform@@} stands for the database's platform
     * @param platform the platform, or empty to detect it
     * @param mode when to initialize
     * @param tables names of the tables
     */
    public JournalSchemaInitializer(
            DataSource dataSource,
            String location,
            String platform,
            DatabaseInitializationMode mode,
            JournalTables tables) {
        super(dataSource, settings(dataSource, location, platform, mode));
        this.tables = tables;
        this.schema = new JournalSchema(dataSource, tables);
        this.location = location;
    }

    private static DatabaseInitializationSettings settings(
            DataSource dataSource, String location, String platform, DatabaseInitializationMode mode) {
        DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
        PlatformPlaceholderDatabaseDriverResolver resolver = new PlatformPlaceholderDatabaseDriverResolver();
        settings.setSchemaLocations(
                platform.isEmpty()
                        ? resolver.resolveAll(dataSource, location)
                        : resolver.resolveAll(platform, location));
        settings.setMode(mode);
        return settings;
    }

    /**
     * Another instance may run them at the same time, and {@code IF NOT EXISTS} fails in PostgreSQL for what is just being created. It
     * is there when the script is repeated.
     *
     * @throws JournalSchemaException if the tables are not there although the script ran
     */
    @Override
    protected void runScripts(Scripts scripts) {
        if (schema.version().isPresent()) {
            return;
        }
        runUntilItSucceeds(withPrefix(scripts));
        if (schema.version().isEmpty()) {
            throw JournalSchemaException.notCreated(tables, location);
        }
    }

    private void runUntilItSucceeds(Scripts scripts) {
        for (int attempt = 1; ; attempt++) {
            try {
                super.runScripts(scripts);
                return;
            } catch (DataAccessException e) {
                if (schema.version().isPresent()) {
                    return;
                }
                if (attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private Scripts withPrefix(Scripts scripts) {
        List<Resource> replaced = new ArrayList<>();
        for (Resource script : scripts) {
            try {
                String text = script.getContentAsString(StandardCharsets.UTF_8);
                replaced.add(new ByteArrayResource(
                        tables.inScript(text).getBytes(StandardCharsets.UTF_8), script.getDescription()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new Scripts(replaced).encoding(StandardCharsets.UTF_8);
    }
}
