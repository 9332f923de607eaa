/**
 * The settings of a scheduler, as small validated records.
 *
 * <pre>{@code
 * SchedulerConfig
 *   ├─ SchedulerLimits         seats, tokens per step, context
 *   ├─ AdmissionOptions, QueueLimits, Displacement     admission
 *   ├─ PrefixCacheOptions ── PrefixRetention           prefix cache
 *   ├─ SpeculationOptions      draft tokens
 *   └─ PipelineOptions         steps in flight
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.config.SchedulerConfig}, which holds the others. Option names are
 * vLLM's where it has the option. Nothing is repaired silently: an invalid setting is rejected with
 * its name, its value and the constraint.
 */
@NullMarked
package dev.headway.api.config;

import org.jspecify.annotations.NullMarked;
