package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.spring.PayloadConversionException;
import io.delayqueue.spring.listener.HeaderArgumentResolver.UnsuitableHeaderException;
import io.delayqueue.spring.listener.ListenerCall.BeforeCallException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.handler.annotation.support.MethodArgumentNotValidException;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * Calls a listener's method and waits for its result. A message that does not fit the method's parameters is an
 * {@link UnprocessableMessageException}. Any other exception of the method is passed on unchanged. That of a converter or
 * validator that fails for a reason of its own, such as an unavailable registry, is a {@link BeforeCallException}.
 */
final class ListenerMethod extends InvocableHandlerMethod implements MessageHandler {

    ListenerMethod(Object bean, Method method, HandlerMethodArgumentResolverComposite resolvers) {
        super(bean, method);
        setMessageMethodArgumentResolvers(resolvers);
    }

    @Override
    public void handle(ReceivedMessage message, Delivery delivery) throws Exception {
        AsyncResult.await(invoke(new DeliveredMessage(message, delivery)));
    }

    @Override
    protected @Nullable Object[] getMethodArgumentValues(
            org.springframework.messaging.Message<?> message, @Nullable Object... providedArgs) throws Exception {
        try {
            return super.getMethodArgumentValues(message, providedArgs);
        } catch (PayloadConversionException | MethodArgumentNotValidException | UnsuitableHeaderException e) {
            ReceivedMessage delivered = ((DeliveredMessage) message).delivered();
            throw new UnprocessableMessageException(
                    "message '" + delivered.id() + "' of topic '" + delivered.topic() + "' does not fit "
                            + InvalidListenerException.describe(getMethod()) + ": " + reason(e),
                    e);
        } catch (Exception e) {
            throw new BeforeCallException(e);
        }
    }

    private static String reason(Exception e) {
        if (e instanceof MethodArgumentNotValidException invalid && invalid.getBindingResult() != null) {
            StringBuilder text = new StringBuilder("not valid");
            invalid.getBindingResult()
                    .getFieldErrors()
                    .forEach(error -> text.append(", ")
                            .append(error.getField())
                            .append(' ')
                            .append(error.getDefaultMessage()));
            invalid.getBindingResult()
                    .getGlobalErrors()
                    .forEach(error -> text.append(", ").append(error.getDefaultMessage()));
            return text.toString();
        }
        return String.valueOf(e.getMessage());
    }
}
