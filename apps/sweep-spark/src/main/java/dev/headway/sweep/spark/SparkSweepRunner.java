package dev.headway.sweep.spark;

import dev.headway.cli.sweep.SweepJob;
import dev.headway.simulation.sweep.ColumnKind;
import dev.headway.simulation.sweep.RowSink;
import dev.headway.simulation.sweep.SweepColumn;
import dev.headway.simulation.sweep.SweepRow;
import dev.headway.simulation.sweep.SweepRunner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Runs cells as tasks of a Spark cluster. Their rows go to Parquet, where Spark's commit protocol
 * keeps those of one attempt of each task, whatever was lost; from there they come here in order.
 */
final class SparkSweepRunner implements SweepRunner {

  private final SparkSession spark;
  private final SweepJob job;
  private final String parquet;
  private final int cellsPerTask;

  /**
   * Makes a runner.
   *
   * @param parquet URI of the directory to write, which all workers must reach
   * @param cellsPerTask most cells of a task, >= 1; several, since a task costs milliseconds
   */
  SparkSweepRunner(SparkSession spark, SweepJob job, String parquet, int cellsPerTask) {
    this.spark = spark;
    this.job = job;
    this.parquet = parquet;
    this.cellsPerTask = cellsPerTask;
  }

  @Override
  public void run(int[] cells, RowSink sink) throws IOException {
    write(cells);
    List<SweepRow> ofCell = new ArrayList<>();
    final Iterator<Row> rows =
        spark.read().schema(schema()).parquet(parquet).orderBy("cell", "probe").toLocalIterator();
    while (rows.hasNext()) {
      final SweepRow row = job.table().row(values(rows.next()));
      if (!ofCell.isEmpty() && ofCell.getFirst().cell() != row.cell()) {
        sink.accept(ofCell);
        ofCell = new ArrayList<>();
      }
      ofCell.add(row);
    }
    if (!ofCell.isEmpty()) {
      sink.accept(ofCell);
    }
  }

  private void write(int[] cells) {
    final int tasks = Math.max(1, (cells.length + cellsPerTask - 1) / cellsPerTask);
    // dealt out in turn: neighbours in a grid often take equally long
    final List<Integer> dealt =
        IntStream.range(0, tasks)
            .flatMap(
                task ->
                    IntStream.iterate(task, i -> i < cells.length, i -> i + tasks)
                        .map(i -> cells[i]))
            .boxed()
            .toList();
    final JavaRDD<Row> rows =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .parallelize(dealt, tasks)
            .mapPartitions(new CellTask(job));
    spark.createDataFrame(rows, schema()).write().mode(SaveMode.Overwrite).parquet(parquet);
  }

  private StructType schema() {
    return DataTypes.createStructType(
        job.table().columns().stream().map(SparkSweepRunner::field).toArray(StructField[]::new));
  }

  private static StructField field(SweepColumn column) {
    return DataTypes.createStructField(column.name(), type(column.kind()), true);
  }

  private static DataType type(ColumnKind kind) {
    return switch (kind) {
      case INTEGER -> DataTypes.LongType;
      case DECIMAL -> DataTypes.DoubleType;
      case TEXT -> DataTypes.StringType;
    };
  }

  private static List<@Nullable Object> values(Row row) {
    final @Nullable Object[] values = new @Nullable Object[row.length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = row.get(i);
    }
    return Arrays.asList(values);
  }
}
