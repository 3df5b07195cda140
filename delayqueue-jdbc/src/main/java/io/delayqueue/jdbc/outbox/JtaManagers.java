package io.delayqueue.jdbc.outbox;

import org.springframework.transaction.PlatformTransactionManager;

/** Tells JTA's transaction managers, which bind no connection, from others. */
public final class JtaManagers {

    private static final String JTA = "org.springframework.transaction.jta.JtaTransactionManager";

    private JtaManagers() {}

    /** Whether it is one. By name, since the class needs an API that is not there without JTA. */
    public static boolean isJta(PlatformTransactionManager manager) {
        for (Class<?> type = manager.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(JTA)) {
                return true;
            }
        }
        return false;
    }
}
