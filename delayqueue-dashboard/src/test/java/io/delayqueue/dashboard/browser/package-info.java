/** The page in a real Chromium. */
@NullMarked
package io.delayqueue.dashboard.browser;

import org.jspecify.annotations.NullMarked;
