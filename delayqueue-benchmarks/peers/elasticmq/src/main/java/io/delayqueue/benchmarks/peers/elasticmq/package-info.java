/** ElasticMQ as a server, and its client by the AWS SDK as a peer. */
@NullMarked
package io.delayqueue.benchmarks.peers.elasticmq;

import org.jspecify.annotations.NullMarked;
