/**
 * A run as one HTML file: what limited it, and every figure that says so.
 *
 * <pre>{@code
 * RecordSource ─▶ RunModel ─▶ ReportFigures ─▶ ReportPage ─▶ report.html
 *                 (observe)     (figures)     (page)
 * }</pre>
 *
 * <p>Read {@link dev.headway.report.html.JournalReport}. One pass over the journal, in memory that
 * does not grow with it. One thread.
 */
@NullMarked
package dev.headway.report.html;

import org.jspecify.annotations.NullMarked;
