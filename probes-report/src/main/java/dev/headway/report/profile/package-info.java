/**
 * The scheduling profile: one compact JSON line per step, and one line per second on a console.
 *
 * <pre>{@code
 * switches, environment ─▶ ProfileOptions ─▶ ProfileWriter ─▶ ProfileFile
 *                                                │
 *                                                └─▶ ConsoleStatistics
 * }</pre>
 *
 * <p>Read {@link dev.headway.report.profile.ProfileWriter}, then {@link
 * dev.headway.report.profile.ProfileLine}. The same writer serves a journal and a live engine.
 */
@NullMarked
package dev.headway.report.profile;

import org.jspecify.annotations.NullMarked;
