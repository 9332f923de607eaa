/**
 * What happened to one request, in words, from a journal.
 *
 * <pre>{@code
 * journal ─▶ RunModel ─▶ RequestFollower ─▶ ExplanationBuilder ─▶ RequestExplanation
 *                │                                                      │
 *                │                              ExplanationText, ExplanationJson
 *                └─────▶ LongestRequests ─▶ CandidateList
 * }</pre>
 *
 * <p>Read {@code JournalExplainer}, then {@code RequestFollower}, which finds the request, {@code
 * ExplanationBuilder}, which turns what the run model says of it into entries and intervals, and
 * {@code TimeAccount}, whose lines add up to the time from arrival to end. What happened is derived
 * by {@link dev.headway.events.model.RunModel} alone. The journal is read once. Beside the model,
 * memory grows with the events of that request only, and a step costs the same whatever its batch.
 * Everything runs on the caller's thread.
 */
@NullMarked
package dev.headway.report.explain;

import org.jspecify.annotations.NullMarked;
