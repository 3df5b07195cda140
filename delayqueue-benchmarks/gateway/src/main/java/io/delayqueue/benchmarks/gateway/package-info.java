/** The gateway beside ElasticMQ, and beside the API in Java: the same load, in one run, each server in a JVM of its own. */
@NullMarked
package io.delayqueue.benchmarks.gateway;

import org.jspecify.annotations.NullMarked;
