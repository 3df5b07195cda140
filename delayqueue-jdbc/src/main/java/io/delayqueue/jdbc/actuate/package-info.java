/** The journal's actuator endpoint. Its descriptors are its wire format; they depend on no other type of this library. */
@NullMarked
package io.delayqueue.jdbc.actuate;

import org.jspecify.annotations.NullMarked;
