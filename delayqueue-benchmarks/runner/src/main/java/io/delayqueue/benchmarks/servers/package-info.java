/** The servers that are measured, as child processes on the loopback interface, and what they use. */
@NullMarked
package io.delayqueue.benchmarks.servers;

import org.jspecify.annotations.NullMarked;
