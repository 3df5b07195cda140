/** Test helpers that several packages use: a real server, delay queues on it, the documented user, child JVMs. */
@NullMarked
package io.delayqueue.testsupport;

import org.jspecify.annotations.NullMarked;
