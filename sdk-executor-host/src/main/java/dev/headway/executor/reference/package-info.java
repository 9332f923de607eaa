/**
 * A forward pass in plain Java that can be read from top to bottom, over the same paged KV blocks
 * that the scheduler hands to every executor: the oracle that faster executors are compared with,
 * and fast enough to serve small models.
 *
 * <p>Read {@link dev.headway.executor.reference.HostExecutor}, which is all of an executor but the
 * arithmetic, then {@link dev.headway.executor.reference.ReferenceModel}. A faster forward pass is
 * another {@link dev.headway.executor.reference.HostModel}. Whatever the batch, a token's
 * arithmetic is the same sequence of float operations, so its logits do not depend on chunking,
 * batching, paging or preemption to the last bit. One thread, the engine's; no device, no native
 * code.
 */
@NullMarked
package dev.headway.executor.reference;

import org.jspecify.annotations.NullMarked;
