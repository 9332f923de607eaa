/**
 * The scheduling profile: one compact JSON line per step, and one line per second on a console.
 *
 * <pre>{@code
 * switches, environment ─▶ ProfileOptions ─▶ ProfileWriter ─▶ ProfileFile
 *                                                │
 *                                                └─▶ ConsoleStatistics
 * }</pre>
 *
 * <p>Read {@link dev.headway.probes.csv.profile.ProfileWriter}, then {@link
 * dev.headway.probes.csv.profile.ProfileLine}. The same writer serves a journal and a live engine.
 */
@NullMarked
package dev.headway.probes.csv.profile;

import org.jspecify.annotations.NullMarked;
