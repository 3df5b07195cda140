package io.delayqueue.internal.engine;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.MessageHandler;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.Subscription;
import io.delayqueue.internal.engine.consume.Subscriptions;
import io.delayqueue.internal.engine.consume.TopicPull;
import io.delayqueue.internal.engine.consume.TopicSubscription;
import io.delayqueue.internal.engine.dispatch.Dispatcher;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import io.delayqueue.internal.store.MessageStore;

/** Makes the subscriptions and pull consumers of a client. */
final class ConsumerFactory {

    private final ClientContext client;
    private final CallChecks checks;
    private final RegisteredTopics topics;
    private final Dispatcher dispatcher;
    private final Subscriptions subscriptions;

    ConsumerFactory(
            ClientContext client,
            CallChecks checks,
            RegisteredTopics topics,
            Dispatcher dispatcher,
            Subscriptions subscriptions) {
        this.client = client;
        this.checks = checks;
        this.topics = topics;
        this.dispatcher = dispatcher;
        this.subscriptions = subscriptions;
    }

    Subscription subscription(String topic, ConsumerOptions options, MessageHandler handler) {
        return new TopicSubscription(context(topic, options), handler, dispatcher, subscriptions);
    }

    PullConsumer pullConsumer(String topic, PullOptions options, UserFutures futures, CallFailures failures) {
        ConsumerOptions consumer = ConsumerOptions.builder()
                .lease(options.lease())
                .maxAttempts(options.maxAttempts())
                .backoff(options.backoff())
                // its claims take as many messages as calls wait for
                .concurrency(MessageStore.LARGEST_BATCH)
                .build();
        TopicPull pull = new TopicPull(context(topic, consumer), options.maxWaiting(), dispatcher, subscriptions);
        return new TopicPullConsumer(topic, options, pull, new PullCalls(client.options(), checks, futures, failures));
    }

    private ConsumerContext context(String topic, ConsumerOptions options) {
        checks.requireConsumer(topic, options);
        topics.register(topic);
        return new ConsumerContext(topic, options, client, new ThrottledLog("Topic '" + topic + "'"));
    }
}
