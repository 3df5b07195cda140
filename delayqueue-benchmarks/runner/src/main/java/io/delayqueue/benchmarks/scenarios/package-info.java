/** What is measured: one class a scenario. They know peers by name only, through the processes these run in. */
@NullMarked
package io.delayqueue.benchmarks.scenarios;

import org.jspecify.annotations.NullMarked;
