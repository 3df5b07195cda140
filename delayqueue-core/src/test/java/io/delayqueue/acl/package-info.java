/** The Redis user that the documentation describes, and the secrets that nothing may tell. */
@NullMarked
package io.delayqueue.acl;

import org.jspecify.annotations.NullMarked;
