/** The promises that users rely on, each shown on a real server. */
@NullMarked
package io.delayqueue.promises;

import org.jspecify.annotations.NullMarked;
