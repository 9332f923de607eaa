/**
 * Runs one load under several policies and says how they differ, and how sure that is.
 *
 * <pre>{@code
 * Load ─▶ ComparisonRun ─▶ RunLog ─▶ Measures ─▶ ComparisonText, ComparisonFiles
 *  (once per --policy)       │           │
 *                      TenantFairness  Bootstrap
 * }</pre>
 *
 * <p>Read {@link dev.headway.examples.compare.CompareCommand}, then {@link
 * dev.headway.examples.compare.Metric}, which defines every figure. One thread, one run after the
 * other, since their cost is measured.
 */
@NullMarked
package dev.headway.examples.compare;

import org.jspecify.annotations.NullMarked;
