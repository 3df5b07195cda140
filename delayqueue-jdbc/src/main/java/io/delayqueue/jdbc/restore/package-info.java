/** Notices that Redis lost data, and schedules again what is unfinished. */
@NullMarked
package io.delayqueue.jdbc.restore;

import org.jspecify.annotations.NullMarked;
