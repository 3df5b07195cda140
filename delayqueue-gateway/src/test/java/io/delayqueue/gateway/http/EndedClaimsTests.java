package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.GatewayProperties;
import io.delayqueue.gateway.claim.AnswerThreads;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.body.Json;
import io.delayqueue.gateway.http.problem.Problems;
import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.StandardServletAsyncWebRequest;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/** A claim whose request ends at the moment at which its messages come. */
@ExtendWith(EmbeddedRedisExtension.class)
class EndedClaimsTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final PullOptions OPTIONS =
            PullOptions.builder().lease(Duration.ofHours(1)).build();

    /** A receive that is answered already when it is cancelled. */
    private static final class Answered extends CompletableFuture<List<PulledMessage>> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }

    /** An object that returns other values from some methods. */
    private static <T> T with(Class<T> type, T object, Map<String, Object> values) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (values.containsKey(method.getName())) {
                        return values.get(method.getName());
                    }
                    try {
                        return method.invoke(object, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static void end(MockHttpServletRequest request, DeferredResult<?> result) throws Exception {
        WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
        manager.setAsyncWebRequest(new StandardServletAsyncWebRequest(request, new MockHttpServletResponse()));
        manager.startDeferredResultProcessing(result);
        ((MockAsyncContext) request.getAsyncContext()).complete();
        assertThat(result.isSetOrExpired()).isTrue();
    }

    @Test
    void claimThatEndsBeforeItFindsNoMemoryHoldsNoMemory(EmbeddedRedis redis) throws Exception {
        RedisClient connections = RedisClient.create(redis.uri());
        try (AnswerThreads answers = new AnswerThreads(1);
                DelayQueueClient client = DelayQueueClient.create(
                        connections,
                        DelayQueueOptions.builder().commandTimeout(WAIT).build());
                PullConsumer pull = client.pullConsumer("orders", OPTIONS)) {
            client.schedule(OutgoingMessage.to("orders").payload(new byte[1]).build());
            List<PulledMessage> messages = pull.receive(1, WAIT);
            assertThat(messages).hasSize(1);
            Answered received = new Answered();
            PullConsumer answering = with(PullConsumer.class, pull, Map.of("receiveAsync", received));
            PullConsumers consumers = new PullConsumers(
                    with(DelayQueueClient.class, client, Map.of("pullConsumer", answering)), OPTIONS, WAIT, answers);
            consumers.start();
            ClaimsController controller = new ClaimsController(
                    client,
                    consumers,
                    new GatewayProperties().getClaims(),
                    new ByteBudget(0),
                    new BoundedBody(1_000, WAIT),
                    new Answers(new Json(), new Problems()));
            MockHttpServletRequest request = new MockHttpServletRequest();
            request.setAsyncSupported(true);

            DeferredResult<?> result = controller.claim("orders", Caller.EVERYONE, request);
            end(request, result);
            received.complete(messages);

            assertThat(answers.tryBegin()).as("the memory is free again").isTrue();
            assertThat(pull.receive(1, WAIT))
                    .as("so is the message")
                    .singleElement()
                    .satisfies(again -> assertThat(again.message().attempt()).isEqualTo(1));
        } finally {
            connections.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }
}
