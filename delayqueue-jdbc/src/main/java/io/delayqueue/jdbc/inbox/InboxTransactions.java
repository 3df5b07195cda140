package io.delayqueue.jdbc.inbox;

import io.delayqueue.spring.listener.DelayQueueListenerEndpoint;
import io.delayqueue.spring.listener.InvalidListenerException;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.StringUtils;

/**
 * The transactions that idempotent listeners work in: those of the journal's DataSource. Refuses listeners whose own annotation asks
 * for another one, in which their work would be committed apart from the journal's record of it.
 *
 * @param journals finds the manager of the journal's DataSource
 * @param byName finds the manager that an annotation names
 */
public record InboxTransactions(
        Supplier<PlatformTransactionManager> journals, Function<String, TransactionManager> byName) {

    private static final Set<Integer> APART = Set.of(
            TransactionDefinition.PROPAGATION_REQUIRES_NEW,
            TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
            TransactionDefinition.PROPAGATION_NEVER);

    /**
     * The manager to begin the transactions of a listener with.
     *
     * @throws InvalidListenerException if the listener asks for other transactions
     */
    PlatformTransactionManager managerFor(DelayQueueListenerEndpoint endpoint) {
        PlatformTransactionManager manager = journals.get();
        TransactionAttribute declared = new AnnotationTransactionAttributeSource(false)
                .getTransactionAttribute(endpoint.method(), AopProxyUtils.ultimateTargetClass(endpoint.bean()));
        if (declared != null) {
            check(endpoint, declared, manager);
        }
        return manager;
    }

    private void check(
            DelayQueueListenerEndpoint endpoint, TransactionAttribute declared, PlatformTransactionManager manager) {
        if (APART.contains(declared.getPropagationBehavior())) {
            throw invalid(
                    endpoint,
                    "has a @Transactional whose propagation leaves the transaction that records the message. Remove it, or let it"
                            + " join (REQUIRED)");
        }
        String name = declared.getQualifier();
        if (StringUtils.hasText(name) && named(endpoint, name) != manager) {
            throw invalid(
                    endpoint,
                    "has a @Transactional of manager '" + name
                            + "', which is not that of the journal's DataSource: the message would be recorded apart from"
                            + " its work. Keep both in one database");
        }
    }

    private TransactionManager named(DelayQueueListenerEndpoint endpoint, String name) {
        try {
            return byName.apply(name);
        } catch (NoSuchBeanDefinitionException e) {
            throw invalid(endpoint, "has a @Transactional of manager '" + name + "', which does not exist");
        }
    }

    private static InvalidListenerException invalid(DelayQueueListenerEndpoint endpoint, String problem) {
        return new InvalidListenerException(endpoint, "idempotent", problem, null);
    }
}
