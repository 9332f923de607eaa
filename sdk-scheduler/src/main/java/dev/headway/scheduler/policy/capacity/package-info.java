/**
 * How many KV blocks an admission leaves to running requests.
 *
 * <pre>{@code
 * Optimistic       nothing: full pool, preemptions            vLLM
 * NewTokenRatio    a learned share of the outputs to come     SGLang
 * NoEvict          all of them: no preemptions                TensorRT-LLM
 * }</pre>
 *
 * <p>Engine thread only; O(running) per admission; nothing is allocated.
 */
@NullMarked
package dev.headway.scheduler.policy.capacity;

import org.jspecify.annotations.NullMarked;
