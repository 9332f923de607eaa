/**
 * Requests: their parameters, their live state and their outcomes.
 *
 * <pre>{@code
 *            ┌──────────────▶ rejected
 * submitted ─┤                              ┌─────────────▶ finished
 *            └─▶ waiting ─▶ running ────────┤
 *                   ▲                       │
 *                   └───── preempted ◀──────┘
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.request.Request}, then {@link
 * dev.headway.api.request.RequestView}, the read-only view that probes and policies get, and its
 * supertype {@link dev.headway.api.request.PlannedRequest}, which a plan shows. Values here are
 * immutable; views are live and belong to the engine thread.
 */
@NullMarked
package dev.headway.api.request;

import org.jspecify.annotations.NullMarked;
