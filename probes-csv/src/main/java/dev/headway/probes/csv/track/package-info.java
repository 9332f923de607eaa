/**
 * Follows every request and every step of a run, for readers that show them: the report and the
 * trace.
 *
 * <pre>{@code
 * JournalVisitor ─▶ RunTracker ─▶ WaitBook: who waits, since when, for what
 *                        │    └──▶ StepBook: steps from plan to completion
 *                        ▼
 *                  TrackListener
 * }</pre>
 *
 * <p>Read {@link dev.headway.probes.csv.track.RunTracker}, then {@link
 * dev.headway.probes.csv.track.TrackListener}. Times and reasons agree with the CSV projection to
 * the nanosecond; a test compares them. Unlike rows per request and iteration, nothing here looks
 * at every waiting request in every step: work is proportional to what changes. Memory is bounded
 * by live requests and steps in flight. One thread.
 */
@NullMarked
package dev.headway.probes.csv.track;

import org.jspecify.annotations.NullMarked;
