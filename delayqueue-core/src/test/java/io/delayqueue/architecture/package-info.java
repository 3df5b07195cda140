/** Rules that the classes and sources of the main code obey. */
@NullMarked
package io.delayqueue.architecture;

import org.jspecify.annotations.NullMarked;
