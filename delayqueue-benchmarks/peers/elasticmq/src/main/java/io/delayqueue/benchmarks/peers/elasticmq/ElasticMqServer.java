package io.delayqueue.benchmarks.peers.elasticmq;

import org.elasticmq.rest.sqs.SQSRestServerBuilder;

/** ElasticMQ, which keeps all in memory and checks no signatures. Argument: port. */
public final class ElasticMqServer {

    private ElasticMqServer() {}

    /** Runs until the process is ended. */
    public static void main(String[] args) {
        SQSRestServerBuilder.withInterface("127.0.0.1")
                .withPort(Integer.parseInt(args[0]))
                .start()
                .waitUntilStarted();
    }
}
