/**
 * Reads request traces, makes synthetic ones and writes both: the load that {@code replay} and
 * {@code demo} offer to an engine.
 *
 * <pre>{@code
 * file ─▶ TraceReaders ─────┐                                      ┌─▶ PromptTokens
 *                           ├─▶ Workload ─▶ Workloads ─▶ next() ───┤
 * seed ─▶ SyntheticWorkload ┘               (scale, cap, limit)    └─▶ TraceWriters ─▶ file
 * }</pre>
 *
 * <p>Package {@code generated} has loads by name and the files that describe clients, {@code
 * arrival} and {@code length} what they draw from.
 *
 * <p>Read {@link dev.headway.simulation.workload.WorkloadRequest}, then {@link
 * dev.headway.simulation.workload.Workload}, then {@link
 * dev.headway.simulation.workload.TraceReaders} and {@link
 * dev.headway.simulation.workload.SyntheticWorkload}. Every type belongs to one thread at a time. A
 * workload is streamed: memory does not grow with the length of the trace. Nothing here depends on
 * an engine, a clock or a tokenizer: arrivals are times to aim at, prompts are numbers.
 */
@NullMarked
package dev.headway.simulation.workload;

import org.jspecify.annotations.NullMarked;
