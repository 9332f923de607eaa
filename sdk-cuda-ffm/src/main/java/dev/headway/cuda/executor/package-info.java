/**
 * Runs a model on a CUDA device for the engine: the scheduler's plans in, tokens out.
 *
 * <pre>{@code
 * engine thread                       device thread
 * submit: BatchPlan packs the plan ─▶ one upload, LlamaForward or a recorded graph, TokenChoice
 * await:  StepSlot's results      ◀── waits for the step's event, reads tokens back
 * }</pre>
 *
 * <p>Read {@link dev.headway.cuda.executor.CudaExecutor}, then {@code StepLauncher} and {@code
 * LlamaForward}. With two steps in flight the second is packed and enqueued while the first runs; a
 * token that exists only on the device is carried from one to the other there. The scheduler
 * decides what is planned, {@code dev.headway.cuda.kernel} what a kernel computes.
 */
@NullMarked
package dev.headway.cuda.executor;

import org.jspecify.annotations.NullMarked;
