/**
 * The orders in which requests wait and are preempted.
 *
 * <pre>{@code
 * AdmissionQueue ── all that wait
 *   ├─ AdmissionOrder   which request is considered next
 *   │    ├─ TwoLineQueue   arrival or priority, and a line of those passed over: as vLLM has it
 *   │    ├─ KeyedQueue     a policy's key, asked once: a heap
 *   │    ├─ GroupQueue     a policy's scores of groups: a heap of heaps
 *   │    └─ WindowQueue    a policy's scores of the longest waiting, anew in each step
 *   ├─ AdapterLots      those whose LoRA adapter has no seat
 *   └─ those the gate has deferred, asked again in turn
 * VictimRule ── which request is preempted
 * RunningList ── running requests, in the order of admission
 * }</pre>
 *
 * <p>Read {@link dev.headway.scheduler.queue.AdmissionQueue}. No operation looks at the whole
 * queue. Internal: not exported.
 */
@NullMarked
package dev.headway.scheduler.queue;

import org.jspecify.annotations.NullMarked;
