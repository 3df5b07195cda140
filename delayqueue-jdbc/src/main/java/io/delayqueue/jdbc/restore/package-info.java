/** Notices that Redis lost data, and schedules unfinished messages again. */
@NullMarked
package io.delayqueue.jdbc.restore;

import org.jspecify.annotations.NullMarked;
