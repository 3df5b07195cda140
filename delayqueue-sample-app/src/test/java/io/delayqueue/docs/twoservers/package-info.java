/** Two Redis servers in one application, as the guide shows them. */
@NullMarked
package io.delayqueue.docs.twoservers;

import org.jspecify.annotations.NullMarked;
