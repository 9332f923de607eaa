/**
 * What a caller asks for, and what can become of it.
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
 * dev.headway.api.request.RequestView}, the read-only face that probes, policies and executors see.
 * Values here are immutable; views are live and belong to the engine thread.
 */
@NullMarked
package dev.headway.api.request;

import org.jspecify.annotations.NullMarked;
