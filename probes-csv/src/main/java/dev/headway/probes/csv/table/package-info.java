/**
 * Tables: what a column means and how its cell is written, in one place.
 *
 * <p>Read {@link dev.headway.probes.csv.table.Table}, then {@link
 * dev.headway.probes.csv.table.CsvFile}. A column's definition writes the header, the manifest and
 * the reference page; the function beside it writes the cell, so the two cannot drift apart.
 * Nothing here depends on requests. One thread.
 */
@NullMarked
package dev.headway.probes.csv.table;

import org.jspecify.annotations.NullMarked;
