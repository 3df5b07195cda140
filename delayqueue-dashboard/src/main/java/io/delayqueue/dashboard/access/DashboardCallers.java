package io.delayqueue.dashboard.access;

import io.delayqueue.dashboard.DashboardProperties;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.Right;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The caller of a request, and its rights: by the roles that the application's security knows, or all rights if the dashboard is open.
 * Rights to change something are left out unless writes are enabled. Thread-safe.
 */
public final class DashboardCallers {

    /** Name of a caller that is not authenticated. */
    static final String ANONYMOUS = "anonymous";

    private final DashboardProperties properties;

    /** Callers by these properties. */
    public DashboardCallers(DashboardProperties properties) {
        this.properties = properties;
    }

    /**
     * The caller; without rights if the user has none of the roles.
     *
     * @throws UnauthenticatedException if there is no user and the dashboard is not open
     */
    public Caller of(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        String name = principal == null ? null : principal.getName();
        if (properties.isOpen()) {
            return new Caller(named(name), withoutWrites(EnumSet.allOf(Right.class)));
        }
        if (principal == null) {
            throw new UnauthenticatedException();
        }
        return new Caller(named(name), withoutWrites(rights(request)));
    }

    /** Whether users with the right to change something can do so here. */
    public boolean isWriteEnabled() {
        return properties.isWriteEnabled();
    }

    /** The roles that open the page: a user needs one of them. */
    public Set<String> roles() {
        Set<String> roles = new LinkedHashSet<>();
        for (Right right : Right.values()) {
            roles(right).stream().sorted().forEach(roles::add);
        }
        return roles;
    }

    private Set<Right> rights(HttpServletRequest request) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (Right right : Right.values()) {
            if (roles(right).stream().anyMatch(request::isUserInRole)) {
                rights.add(right);
                rights.add(Right.VIEW);
            }
        }
        return rights;
    }

    private Set<String> roles(Right right) {
        return switch (right) {
            case VIEW -> properties.getViewRoles();
            case PAYLOAD -> properties.getPayloadRoles();
            case OPERATE -> properties.getOperateRoles();
            case PURGE -> properties.getPurgeRoles();
        };
    }

    private Set<Right> withoutWrites(Set<Right> rights) {
        if (!properties.isWriteEnabled()) {
            rights.remove(Right.OPERATE);
            rights.remove(Right.PURGE);
        }
        return rights;
    }

    private static String named(@Nullable String name) {
        return name == null || name.isEmpty() ? ANONYMOUS : name;
    }
}
