/** The CSV files of an engine that is running, written as it runs: probe {@code csv}. */
@NullMarked
package dev.headway.probes.csv.live;

import org.jspecify.annotations.NullMarked;
