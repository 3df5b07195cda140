package io.delayqueue.spring.autoconfigure;

import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.tracing.LettuceObservationContext;
import io.lettuce.core.tracing.TraceContextProvider;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationPredicate;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Observes a Redis command of the delay queue only inside another observation. Lettuce observes each command, and a consumer
 * sends commands without end: each would be the root of a trace. Other commands of the application are not affected.
 */
final class RedisCallsInTraces implements ObservationPredicate {

    /** Commands that Lettuce finds no key in. */
    private static final Set<ProtocolKeyword> SUBSCRIBING =
            Set.of(CommandType.SUBSCRIBE, CommandType.UNSUBSCRIBE, CommandType.SSUBSCRIBE, CommandType.SUNSUBSCRIBE);

    private final String channelsOfPartitions;
    private final byte[] keysOfPartitions;
    private final byte[] keyOfTopics;

    /** @param keyPrefix first part of the delay queue's keys */
    RedisCallsInTraces(String keyPrefix) {
        this.channelsOfPartitions = "key<" + keyPrefix + ":{";
        this.keysOfPartitions = (keyPrefix + ":{").getBytes(StandardCharsets.UTF_8);
        this.keyOfTopics = (keyPrefix + ":topics").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean test(String name, Observation.Context context) {
        return !(context instanceof LettuceObservationContext call)
                || !call.hasCommand()
                || isInsideAnObservation(call)
                || !isOurs(call.getRequiredCommand());
    }

    /** Lettuce remembers the observation of the thread that sent the command, and makes it the parent only after this. */
    private static boolean isInsideAnObservation(LettuceObservationContext call) {
        TraceContextProvider sender = CommandWrapper.unwrap(call.getRequiredCommand(), TraceContextProvider.class);
        return call.getParentObservation() != null || sender != null && sender.getTraceContext() != null;
    }

    private boolean isOurs(RedisCommand<?, ?, ?> command) {
        // WAIT has no key; nothing in Spring sends it
        if (command.getType() == CommandType.WAIT) {
            return true;
        }
        CommandArgs<?, ?> arguments = command.getArgs();
        if (arguments == null) {
            return false;
        }
        if (SUBSCRIBING.contains(command.getType())) {
            return arguments.toCommandString().contains(channelsOfPartitions);
        }
        ByteBuffer key = arguments.getFirstEncodedKey();
        return key != null && (startsWith(key, keysOfPartitions) || startsWith(key, keyOfTopics));
    }

    private static boolean startsWith(ByteBuffer key, byte[] beginning) {
        return key.remaining() >= beginning.length
                && key.slice(key.position(), beginning.length).equals(ByteBuffer.wrap(beginning));
    }
}
