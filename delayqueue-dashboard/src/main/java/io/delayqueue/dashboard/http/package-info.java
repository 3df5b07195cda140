/** The page and its JSON API over HTTP. Reads and acts through the operator only. */
@NullMarked
package io.delayqueue.dashboard.http;

import org.jspecify.annotations.NullMarked;
