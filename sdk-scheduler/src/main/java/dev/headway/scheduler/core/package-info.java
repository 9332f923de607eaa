/**
 * Decides, once per step, which requests compute how many tokens.
 *
 * <pre>{@code
 * ContinuousBatchingScheduler          one step, as its summary reads
 *   ├─ RunningPhase     gives running requests their tokens; preempts when blocks run out
 *   ├─ AdmissionPhase   admits waiting requests; its refusal is the wait reason
 *   │    └─ LoraSeats, Displacer      adapters of the step; who gives way to the more important
 *   ├─ OutputStage      appends sampled tokens, ends what is done
 *   │    └─ AnswerCheck, StopCheck    what cannot be; what is done
 *   ├─ StepsInFlight    the PlanBuffers that are out
 *   └─ WaitLedger       tells the probe when a reason changes
 * StepParts             what the phases share, one feature each:
 *   StepBudget tokens and slots        ChunkRule how large, where it may end
 *   Speculation draft tokens           StepsAhead placeholders, steps between decodes
 *   Progress counting planned tokens   PrefillThrottle steps without prompts
 *   Preemption, Retirement the two ways out of the running list
 *   PolicyDesk decisions that can be replaced
 * SchedulerState        queues, running list, KV cache, probe: what all of them share
 * }</pre>
 *
 * <p>Read {@link dev.headway.scheduler.core.ContinuousBatchingScheduler} first. One engine thread;
 * no I/O, no logging; nothing is allocated once warm, and no step looks at the whole waiting queue.
 * Decisions are those of vLLM 0.28's v1 scheduler; recorded runs of it are replayed by the tests.
 */
@NullMarked
package dev.headway.scheduler.core;

import org.jspecify.annotations.NullMarked;
