/**
 * From the records of a journal to rows.
 *
 * <pre>{@code
 * RunModel ─▶ RunRows ─▶ EventRows      rows of events and transitions
 *               │  ▲   ─▶ StepRows       rows of iterations, and of requests per iteration
 *               │  │   ─▶ RequestRow     rows of requests
 *               │  └─ RequestCells       what the rows of a live request repeat
 *               └─ made by RunProjection for each run
 * }</pre>
 *
 * <p>Read {@link dev.headway.probes.csv.projection.RunProjection}, then {@code RunRows}, then
 * {@code RowFiles}, whose tables define every column. State is kept per live request and per step
 * in flight, so a journal of any size takes the same memory. One thread; the same records make the
 * same bytes.
 */
@NullMarked
package dev.headway.probes.csv.projection;

import org.jspecify.annotations.NullMarked;
