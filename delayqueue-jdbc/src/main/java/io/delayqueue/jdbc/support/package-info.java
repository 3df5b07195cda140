/** Database, transactions, threads and leases of the journal, which its parts share. Internal: they may change with each version. */
@NullMarked
package io.delayqueue.jdbc.support;

import org.jspecify.annotations.NullMarked;
