package dev.headway.report.analyze;

import dev.headway.toolbox.stats.SortedSample;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A growing column of figures; NaN is one that is absent. Not thread-safe.
 *
 * <p>With a {@link ColumnFile} the first {@value #HEAP_CHUNKS} chunks of {@value #CHUNK} figures
 * are kept on the heap, the others in the file, from which they are read in order. No figure is
 * rounded.
 */
public final class Samples {

  static final int CHUNK = 1 << 13;
  static final int HEAP_CHUNKS = 32;

  private static final int NO_CHUNK = -1;

  private final @Nullable ColumnFile file;
  private double[][] onHeap = new double[1][64]; // the last one is being filled
  private int heapChunks;
  private int[] inFile = new int[8];
  private int fileChunks;
  private double[] read = new double[0];
  private int readChunk = NO_CHUNK;
  private int size;

  /** A column on the heap. */
  public Samples() {
    this(null);
  }

  /** A column whose later chunks go to {@code file}. */
  Samples(@Nullable ColumnFile file) {
    this.file = file;
  }

  /** Appends a figure. */
  public void add(double value) {
    final int place = size & (CHUNK - 1);
    if (place == 0 && size > 0) {
      conclude();
    }
    double[] chunk = onHeap[heapChunks];
    if (place == chunk.length) {
      chunk = Arrays.copyOf(chunk, 2 * place);
      onHeap[heapChunks] = chunk;
    }
    chunk[place] = value;
    size++;
  }

  /** How many there are, absent ones included. */
  public int count() {
    return size;
  }

  /** The figure at an index in [0, count); O(1) if indices ascend. */
  public double at(int index) {
    final int chunk = index / CHUNK;
    if (chunk < heapChunks) {
      return onHeap[chunk][index & (CHUNK - 1)];
    }
    if (chunk == heapChunks + fileChunks) {
      return onHeap[heapChunks][index & (CHUNK - 1)];
    }
    if (chunk != readChunk) {
      load(chunk);
    }
    return read[index & (CHUNK - 1)];
  }

  /** Sum of those present. */
  public double sum() {
    return sum(Samples::any);
  }

  /** Sum of those present at the indices that {@code kept} accepts. */
  double sum(IntPredicate kept) {
    double sum = 0;
    for (int i = 0; i < size; i++) {
      final double value = at(i);
      sum += Double.isNaN(value) || !kept.test(i) ? 0 : value;
    }
    return sum;
  }

  /** Mean of those present; NaN of none. */
  public double mean() {
    return mean(Samples::any);
  }

  /** Mean of those present at the indices that {@code kept} accepts; NaN of none. */
  double mean(IntPredicate kept) {
    return sum(kept) / present(kept);
  }

  /** How many are present. */
  public int present() {
    return present(Samples::any);
  }

  /** The largest of those present; NaN of none. */
  double max() {
    double max = Double.NaN;
    for (int i = 0; i < size; i++) {
      final double value = at(i);
      max = max >= value || Double.isNaN(value) ? max : value;
    }
    return max;
  }

  /** Those present, in order of size. */
  public SortedSample sorted() {
    return sorted(Samples::any);
  }

  /** Those present at the indices that {@code kept} accepts, in order of size; on the heap. */
  SortedSample sorted(IntPredicate kept) {
    final double[] values = new double[present(kept)];
    int next = 0;
    for (int i = 0; i < size; i++) {
      final double value = at(i);
      if (!Double.isNaN(value) && kept.test(i)) {
        values[next++] = value;
      }
    }
    Arrays.sort(values);
    return SortedSample.ofAscending(values);
  }

  private int present(IntPredicate kept) {
    int present = 0;
    for (int i = 0; i < size; i++) {
      present += Double.isNaN(at(i)) || !kept.test(i) ? 0 : 1;
    }
    return present;
  }

  /** The chunk being filled is full. */
  private void conclude() {
    if (file == null || heapChunks < HEAP_CHUNKS) {
      heapChunks++;
      if (heapChunks == onHeap.length) {
        onHeap = Arrays.copyOf(onHeap, 2 * heapChunks);
      }
      onHeap[heapChunks] = new double[CHUNK];
      return;
    }
    if (fileChunks == inFile.length) {
      inFile = Arrays.copyOf(inFile, 2 * fileChunks);
    }
    inFile[fileChunks++] = file.append(onHeap[heapChunks]);
  }

  private void load(int chunk) {
    if (file == null) {
      throw new IndexOutOfBoundsException("chunk=" + chunk);
    }
    if (read.length == 0) {
      read = new double[CHUNK];
    }
    file.read(inFile[chunk - heapChunks], read);
    readChunk = chunk;
  }

  private static boolean any(int index) {
    return true;
  }
}
