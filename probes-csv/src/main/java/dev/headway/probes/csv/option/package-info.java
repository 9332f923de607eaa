/**
 * Options of a conversion: {@link dev.headway.probes.csv.option.ConvertOptions} holds the others.
 */
@NullMarked
package dev.headway.probes.csv.option;

import org.jspecify.annotations.NullMarked;
