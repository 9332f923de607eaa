/**
 * The life of one request in words, from a journal.
 *
 * <pre>{@code
 * journal ─▶ RequestFollower ─▶ Story ─▶ StoryText, StoryJson
 *                                 ▲
 * journal ─▶ Strangers ───────────┘ ids of the requests that stood in its way
 * }</pre>
 *
 * <p>Read {@code JournalExplainer}, then {@code StoryTeller}, which follows one request by the
 * rules by which the CSV files are made, and {@code TimeAccount}, whose lines add up to the time
 * from arrival to end. The journal is read twice at most; memory is bounded by what is kept about
 * that request. Everything runs on the caller's thread.
 */
@NullMarked
package dev.headway.report.explain;

import org.jspecify.annotations.NullMarked;
