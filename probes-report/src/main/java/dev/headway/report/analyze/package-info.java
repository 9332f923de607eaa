/**
 * Statistics of profiles, and whether two of them differ.
 *
 * <pre>{@code
 * JSONL ─▶ ProfileReader ─┐
 *                         ├─▶ StepTable ─▶ Analysis ─▶ AnalysisText, AnalysisJson
 * journal ─▶ StepTables ──┘        └─▶ Comparison
 * }</pre>
 *
 * <p>Read {@link dev.headway.report.analyze.StepTable}, then {@link
 * dev.headway.report.analyze.Analysis}. All rows are kept: what is odd is flagged and shown with
 * and without. One thread; 16 columns of 8 bytes per step.
 */
@NullMarked
package dev.headway.report.analyze;

import org.jspecify.annotations.NullMarked;
