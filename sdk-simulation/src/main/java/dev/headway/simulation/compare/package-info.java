/**
 * Runs one load under several policies and says how they differ, and how sure that is.
 *
 * <pre>{@code
 * Load ─▶ ComparisonRun ─▶ RunLog ─▶ Measures ─▶ PolicyResult
 *  (once per policy)         │           │
 *                      TenantFairness  Bootstrap
 * }</pre>
 *
 * <p>Read {@link dev.headway.simulation.compare.Metric}, which defines every figure, then {@link
 * dev.headway.simulation.compare.ComparisonRun}. One thread, one run after the other, since their
 * cost is measured.
 */
@NullMarked
package dev.headway.simulation.compare;

import org.jspecify.annotations.NullMarked;
