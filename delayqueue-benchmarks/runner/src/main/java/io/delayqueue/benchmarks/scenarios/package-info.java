/** The scenarios, one class each. They use peers through their worker processes only. */
@NullMarked
package io.delayqueue.benchmarks.scenarios;

import org.jspecify.annotations.NullMarked;
