/**
 * Requests and steps of a run, put together from its records: what a decision, a plan and a
 * completion say of one and the same thing, joined in one place for everybody who shows it.
 *
 * <pre>{@code
 * RunObserver ─▶ RequestBook: phases of requests; decisions take effect with their plan
 *                  │     └───▶ StepBook: steps from plan to completion
 *                  │     └───▶ WaitBook, WaitCounts: who waits for what, if somebody asks
 *                  ▼
 *             RunListener = RequestListener + StepListener;  WaitListener
 * }</pre>
 *
 * <p>Read {@link dev.headway.events.model.RunObserver}, then {@link
 * dev.headway.events.model.RunListener}, then {@link dev.headway.events.model.ObservedStep}. {@link
 * dev.headway.events.model.DecisionQueue} and {@link dev.headway.events.model.StepsInFlight} are
 * the two rules of joining and serve those as well who keep requests of their own.
 *
 * <p>One thread, never the engine's. Memory is bounded by live requests and steps in flight, work
 * is proportional to what changes: nothing here looks at every waiting request in every step.
 * Nothing here writes a file. Times and reasons agree with the CSV files to the nanosecond; a test
 * compares them.
 */
@NullMarked
package dev.headway.events.model;

import org.jspecify.annotations.NullMarked;
