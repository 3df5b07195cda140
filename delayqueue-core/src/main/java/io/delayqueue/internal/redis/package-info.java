/**
 * Keeps messages in Redis. The only package that sees Lettuce; it does not see the engine.
 *
 * <p>From the outside in:
 *
 * <ul>
 *   <li>store: {@code RedisMessageStore} turns each operation into a script call, with {@code Keys}, {@code Requests},
 *       {@code Envelope} and {@code Replies}
 *   <li>scripts: {@code Script} loads the Lua files, {@code ScriptExecutor} runs them
 *   <li>replication: {@code ReplicatedWrites} answers a write once replicas have it, {@code ClusterReplicatedWrites} for each
 *       server of a Cluster
 *   <li>inspection: {@code ServerInspection} and {@code ClusterInspection} check servers and permissions
 *   <li>wake-ups: {@code WakeUps} wakes listeners by messages of their channels
 *   <li>connections: {@code Connections} holds them, {@code CommandSender} sends over a {@code ReconnectingConnection}
 *   <li>topology: {@code Standalone} and {@code Cluster} know the servers
 *   <li>errors: {@code RedisErrors} turns Redis' and Lettuce's errors into those of the API
 * </ul>
 */
@NullMarked
package io.delayqueue.internal.redis;

import org.jspecify.annotations.NullMarked;
