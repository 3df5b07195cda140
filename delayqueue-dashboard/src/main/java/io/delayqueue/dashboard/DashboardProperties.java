package io.delayqueue.dashboard;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Properties of the dashboard. */
@ConfigurationProperties("delayqueue.dashboard")
public class DashboardProperties {

    /**
     * Whether to serve the dashboard.
     */
    private boolean enabled;

    /**
     * Path of the dashboard, below the context path.
     */
    private String path = "/delayqueue";

    /**
     * Whether users who may operate or purge can do so here. Otherwise the dashboard only shows.
     */
    private boolean writeEnabled;

    /**
     * Whether everyone who reaches the dashboard may see everything, and do everything if writes are enabled. Roles mean nothing then.
     */
    private boolean open;

    /**
     * Roles of users who may see topics and messages, without payloads. Those who may do more may see these, too.
     */
    private Set<String> viewRoles = Set.of("DELAYQUEUE_VIEWER");

    /**
     * Roles of users who may see payloads, header values and error texts.
     */
    private Set<String> payloadRoles = Set.of("DELAYQUEUE_PAYLOAD_VIEWER");

    /**
     * Roles of users who may pause and resume topics and cancel, reschedule and redrive messages, if writes are enabled.
     */
    private Set<String> operateRoles = Set.of("DELAYQUEUE_OPERATOR");

    /**
     * Roles of users who may delete dead letters and pending messages, if writes are enabled.
     */
    private Set<String> purgeRoles = Set.of("DELAYQUEUE_PURGER");

    /**
     * Names of payload fields and headers whose values are masked; upper and lower case are not distinguished. A
     * payload that is no JSON is hidden then.
     */
    private Set<String> maskFields = new LinkedHashSet<>();

    /**
     * Names of the only payload fields and headers whose values are shown; upper and lower case are not
     * distinguished. Empty for all. A payload that is no JSON is hidden otherwise.
     */
    private Set<String> showFields = new LinkedHashSet<>();

    /**
     * Maximum number of bytes shown of a payload. Downloads are complete.
     */
    private DataSize maxPayload = DataSize.ofKilobytes(64);

    /**
     * Maximum number of values shown of a JSON payload.
     */
    private int maxNodes = 5_000;

    /**
     * Maximum number of headers shown of a message.
     */
    private int maxHeaders = 100;

    /**
     * Maximum time for reading a view. Parts that take longer are left out.
     */
    private Duration readTimeout = Duration.ofSeconds(5);

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getPath() {
        return path;
    }

    public void setPath(String path) {
        this.path = path;
    }

    public boolean isWriteEnabled() {
        return writeEnabled;
    }

    public void setWriteEnabled(boolean writeEnabled) {
        this.writeEnabled = writeEnabled;
    }

    public boolean isOpen() {
        return open;
    }

    public void setOpen(boolean open) {
        this.open = open;
    }

    public Set<String> getViewRoles() {
        return viewRoles;
    }

    public void setViewRoles(Set<String> viewRoles) {
        this.viewRoles = viewRoles;
    }

    public Set<String> getPayloadRoles() {
        return payloadRoles;
    }

    public void setPayloadRoles(Set<String> payloadRoles) {
        this.payloadRoles = payloadRoles;
    }

    public Set<String> getOperateRoles() {
        return operateRoles;
    }

    public void setOperateRoles(Set<String> operateRoles) {
        this.operateRoles = operateRoles;
    }

    public Set<String> getPurgeRoles() {
        return purgeRoles;
    }

    public void setPurgeRoles(Set<String> purgeRoles) {
        this.purgeRoles = purgeRoles;
    }

    public Set<String> getMaskFields() {
        return maskFields;
    }

    public void setMaskFields(Set<String> maskFields) {
        this.maskFields = maskFields;
    }

    public Set<String> getShowFields() {
        return showFields;
    }

    public void setShowFields(Set<String> showFields) {
        this.showFields = showFields;
    }

    public DataSize getMaxPayload() {
        return maxPayload;
    }

    public void setMaxPayload(DataSize maxPayload) {
        this.maxPayload = maxPayload;
    }

    public int getMaxNodes() {
        return maxNodes;
    }

    public void setMaxNodes(int maxNodes) {
        this.maxNodes = maxNodes;
    }

    public int getMaxHeaders() {
        return maxHeaders;
    }

    public void setMaxHeaders(int maxHeaders) {
        this.maxHeaders = maxHeaders;
    }

    public Duration getReadTimeout() {
        return readTimeout;
    }

    public void setReadTimeout(Duration readTimeout) {
        this.readTimeout = readTimeout;
    }
}
