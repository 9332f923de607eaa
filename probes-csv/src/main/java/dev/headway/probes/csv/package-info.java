/**
 * From a journal to CSV files and a manifest.
 *
 * <p>Read {@code CsvConverter}, which converts a journal into a directory, then {@link
 * dev.headway.probes.csv.projection.RunProjection}, which makes rows of the model of a run.
 * Everything runs on the caller's thread.
 */
@NullMarked
package dev.headway.probes.csv;

import org.jspecify.annotations.NullMarked;
