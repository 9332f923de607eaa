/**
 * From the records of a journal to rows.
 *
 * <pre>{@code
 * RecordVisitor ─▶ RunProjection ─▶ Decisions ─▶ RequestLife ─▶ rows of events, transitions
 *                        │                            │
 *                        └──────────▶ StepRows ◀──────┘ state of every live request
 *                                        └─▶ rows of iterations, requests per iteration, requests
 * }</pre>
 *
 * <p>Read {@link dev.headway.probes.csv.projection.RunProjection}, then {@code RequestTimeline},
 * then {@code RowFiles}, whose tables define every column. State is kept per live request and per
 * step in flight, so a journal of any size takes the same memory. One thread; the same records make
 * the same bytes.
 */
@NullMarked
package dev.headway.probes.csv.projection;

import org.jspecify.annotations.NullMarked;
