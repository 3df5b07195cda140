/**
 * Off limits to users: may change with any release. This package itself has the few helpers that every part uses; it depends on nothing but
 * the JDK.
 */
@NullMarked
package io.delayqueue.internal;

import org.jspecify.annotations.NullMarked;
