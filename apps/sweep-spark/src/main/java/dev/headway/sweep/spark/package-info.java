/**
 * Sweeps on a Spark cluster: the rows of {@code headway sweep}, byte for byte, and as Parquet.
 *
 * <pre>{@code
 * SparkSweep ─▶ SparkSweepRunner ─▶ tasks: CellTask ─▶ rows.parquet ─▶ in order ─▶ SweepFiles
 * }</pre>
 *
 * <p>Read {@link dev.headway.sweep.spark.SparkSweepRunner}.
 */
@NullMarked
package dev.headway.sweep.spark;

import org.jspecify.annotations.NullMarked;
