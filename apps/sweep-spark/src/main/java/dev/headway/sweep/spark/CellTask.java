package dev.headway.sweep.spark;

import dev.headway.cli.sweep.SweepJob;
import dev.headway.simulation.sweep.SweepCells;
import java.io.Serial;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cells of a task, one after the other, on an executor. Only the plan's text travels: it
 * is read anew in each task. A cell that fails is a row, so that Spark has no reason to repeat a
 * task but the loss of an executor; what it then repeats gives the same rows.
 *
 * <p>A named class, since Spark analyses the bytecode of lambdas, and that of this JDK may be newer
 * than it knows.
 */
final class CellTask implements FlatMapFunction<Iterator<Integer>, Row> {
  @Serial private static final long serialVersionUID = 1L;

  private final String name;
  private final String text;
  private final String base;

  CellTask(SweepJob job) {
    this.name = job.name();
    this.text = job.text();
    this.base = job.base().toString();
  }

  @Override
  public Iterator<Row> call(Iterator<Integer> cells) {
    final SweepCells runs = SweepJob.of(name, text, Path.of(base)).cells(System.err::println);
    return new Rows(cells, runs);
  }

  /**
   * Runs a cell when its first row is asked for, so that a task keeps the rows of one cell only.
   */
  private static final class Rows implements Iterator<Row> {
    private final Iterator<Integer> cells;
    private final SweepCells runs;
    private Iterator<Row> ready = Collections.emptyIterator();

    Rows(Iterator<Integer> cells, SweepCells runs) {
      this.cells = cells;
      this.runs = runs;
    }

    @Override
    public boolean hasNext() {
      return ready.hasNext() || cells.hasNext();
    }

    @Override
    public Row next() {
      if (!ready.hasNext()) {
        ready =
            runs.rows(cells.next()).stream()
                .map(row -> RowFactory.create(row.values().toArray(new @Nullable Object[0])))
                .iterator();
      }
      return ready.next();
    }
  }
}
