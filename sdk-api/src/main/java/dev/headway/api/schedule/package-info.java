/**
 * Scheduling: which requests compute how many tokens in each step.
 *
 * <pre>{@code
 * add ─▶ waiting ─▶ running ─▶ finished
 *           ▲          │
 *           └──────────┘ preempted: blocks released, progress rewound
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.schedule.Scheduler}, then {@link
 * dev.headway.api.schedule.WaitReason}: every reason is what a decision returned, with its exact
 * condition. Several steps may be out, between {@code schedule} and {@code complete}; {@link
 * dev.headway.api.schedule.PauseState} holds scheduling back. One engine thread calls the
 * scheduler; nothing here does I/O or depends on a device.
 */
@NullMarked
package dev.headway.api.schedule;

import org.jspecify.annotations.NullMarked;
