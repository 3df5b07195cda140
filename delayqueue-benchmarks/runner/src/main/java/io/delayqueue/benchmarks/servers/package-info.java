/** The servers, as child processes on the loopback interface, and their usage. */
@NullMarked
package io.delayqueue.benchmarks.servers;

import org.jspecify.annotations.NullMarked;
