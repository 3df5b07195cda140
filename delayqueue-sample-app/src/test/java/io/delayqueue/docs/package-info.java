/** Tests of the documents: their code is taken from files that the build compiles and runs, their links lead somewhere. */
@NullMarked
package io.delayqueue.docs;

import org.jspecify.annotations.NullMarked;
