/** A whole application with the dashboard, for tests. */
@NullMarked
package io.delayqueue.dashboard.testsupport;

import org.jspecify.annotations.NullMarked;
