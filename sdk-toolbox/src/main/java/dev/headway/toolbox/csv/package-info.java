/**
 * CSV files by Commons CSV: {@link dev.headway.toolbox.csv.CsvTable} to write them, {@link
 * dev.headway.toolbox.csv.CsvReader} to read them.
 */
@NullMarked
package dev.headway.toolbox.csv;

import org.jspecify.annotations.NullMarked;
