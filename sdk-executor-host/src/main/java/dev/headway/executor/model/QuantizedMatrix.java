package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;

/**
 * A matrix, [rows, columns] as [outputs, inputs], that is stored as one code per weight and scales:
 * {@code weight = value(code) * scale(row, column)}, a float product. For executors that keep it so
 * or multiply codes; {@link ModelWeights#read} gives the weights themselves.
 *
 * <p>Any thread may read until the weights are closed.
 */
public interface QuantizedMatrix {

  /** What a code is. */
  enum Code {
    /** {@link E4m3}. */
    E4M3;

    /** The code's value. */
    public float value(byte code) {
      return E4m3.toFloat(code);
    }
  }

  /** What its codes are. */
  Code code();

  /** Outputs. */
  int rows();

  /** Inputs. */
  int columns();

  /**
   * Inputs that share a scale within a row: columns {@code [i * columnsPerScale, (i + 1) *
   * columnsPerScale)} do, for every i.
   */
  int columnsPerScale();

  /** The scale of a weight, finite, >= 0. */
  float scale(int row, int column);

  /** How the checkpoint wants its inputs to be rounded. */
  InputQuantization inputs();

  /**
   * Copies the codes of elements [from, from + length), row-major, to the start of {@code target}.
   *
   * @throws IndexOutOfBoundsException if the range is not inside the matrix, or the target too
   *     small
   */
  void readCodes(long from, MemorySegment target, long length);
}
