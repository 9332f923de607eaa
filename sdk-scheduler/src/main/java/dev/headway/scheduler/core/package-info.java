/**
 * Decides, once per step, which requests compute how many tokens.
 *
 * <pre>{@code
 * ContinuousBatchingScheduler          one step: running requests, then admissions
 *   ├─ RunningPhase     gives running requests their tokens; preempts when blocks run out
 *   │    └─ SteadyDecodes    the fast path of a decode that needs no decision
 *   ├─ AdmissionPhase   admits waiting requests; a refusal is the wait reason
 *   │    ├─ AdmissionChunk, AdmissionBlocks      tokens and blocks of the head of the queue
 *   │    └─ LoraSeats, Displacer      adapters of the step; displacement by more important requests
 *   ├─ OutputStage      appends sampled tokens, ends what is done
 *   │    └─ AnswerCheck, StopCheck    invalid answers; finished requests
 *   ├─ StepsInFlight    the PlanBuffers that are out
 *   └─ WaitLedger       notifies the probe when a reason changes
 * Shared by the phases, one feature each:
 *   ChunkRule size and end of chunks   Progress counting planned tokens
 *   Preemption, Retirement             the two ways out of the running list
 * Off by default, and null then:
 *   Speculation draft tokens           StepsAhead placeholders, steps between decodes
 *   PrefillThrottle steps without prompts      LoraSeats, Displacer
 *   PolicyDesk decisions that are replaced; ProgressLaw what bounds them
 * SchedulerState        queues, running list, budget, KV cache, probe: shared by all of them
 * }</pre>
 *
 * <p>Read {@link dev.headway.scheduler.core.ContinuousBatchingScheduler} first. One engine thread;
 * no I/O, no logging; nothing is allocated once warm, and no step visits the whole waiting queue.
 * Decisions are those of vLLM 0.28's v1 scheduler; recorded runs of it are replayed by the tests.
 */
@NullMarked
package dev.headway.scheduler.core;

import org.jspecify.annotations.NullMarked;
