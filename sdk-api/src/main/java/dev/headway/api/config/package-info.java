/**
 * The settings of a scheduler, as small validated records.
 *
 * <p>Read {@link dev.headway.api.config.SchedulerConfig}, which holds the others. Option names are
 * vLLM's where it has the option. Nothing is repaired silently: a setting that cannot work is
 * refused with its name, its value and what must hold.
 */
@NullMarked
package dev.headway.api.config;

import org.jspecify.annotations.NullMarked;
