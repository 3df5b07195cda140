package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.support.JournalTables;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/** Properties of the journal. */
@ConfigurationProperties("delayqueue.journal")
public class JournalProperties {

    /**
     * Whether to keep a journal in the application's database.
     */
    private boolean enabled = true;

    /**
     * When to create the journal's tables at the start of the application.
     */
    private DatabaseInitializationMode initializeSchema = DatabaseInitializationMode.EMBEDDED;

    /**
     * Location of the script that creates the tables.
     */
    private String schema = "classpath:io/delayqueue/jdbc/schema-@@platform@@.sql";

    /**
     * Platform to use in the location if the @@platform@@ placeholder is used. Detected by default.
     */
    private String platform = "";

    /**
     * Prefix of the names of the journal's tables: letters, digits and underscores, after a schema's name and a dot if they have
     * a schema of their own.
     */
    private String tablePrefix = "delayqueue_";

    /**
     * Name of a header with an index, so that messages can be searched by its value, such as an order's number.
     */
    private @Nullable String businessKey;

    @NestedConfigurationProperty
    private final OutboxProperties outbox = new OutboxProperties();

    @NestedConfigurationProperty
    private final RetentionProperties retention = new RetentionProperties();

    @NestedConfigurationProperty
    private final AuditProperties audit = new AuditProperties();

    @NestedConfigurationProperty
    private final RestoreProperties restore = new RestoreProperties();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public DatabaseInitializationMode getInitializeSchema() {
        return initializeSchema;
    }

    public void setInitializeSchema(DatabaseInitializationMode initializeSchema) {
        this.initializeSchema = initializeSchema;
    }

    public String getSchema() {
        return schema;
    }

    public void setSchema(String schema) {
        this.schema = schema;
    }

    public String getPlatform() {
        return platform;
    }

    public void setPlatform(String platform) {
        this.platform = platform;
    }

    public String getTablePrefix() {
        return tablePrefix;
    }

    public void setTablePrefix(String tablePrefix) {
        this.tablePrefix = new JournalTables(tablePrefix).prefix();
    }

    public @Nullable String getBusinessKey() {
        return businessKey;
    }

    public void setBusinessKey(@Nullable String businessKey) {
        this.businessKey = businessKey;
    }

    public AuditProperties getAudit() {
        return audit;
    }

    public RestoreProperties getRestore() {
        return restore;
    }

    public OutboxProperties getOutbox() {
        return outbox;
    }

    public RetentionProperties getRetention() {
        return retention;
    }
}
