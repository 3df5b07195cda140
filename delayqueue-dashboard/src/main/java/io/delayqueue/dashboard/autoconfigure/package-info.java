/** Auto-configuration of the dashboard. */
@NullMarked
package io.delayqueue.dashboard.autoconfigure;

import org.jspecify.annotations.NullMarked;
