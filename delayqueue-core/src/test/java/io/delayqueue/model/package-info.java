/** Random steps on the message store, compared with a plain Java model. */
@NullMarked
package io.delayqueue.model;

import org.jspecify.annotations.NullMarked;
