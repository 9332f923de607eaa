package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A matrix, [rows, columns] as [outputs, inputs], that is stored as one code per weight and scales:
 * {@code weight = value(code) * scale(row, group(column)) - offset(row, group(column))} in floats.
 * For executors that keep it so or multiply codes; {@link ModelWeights#read} gives the weights
 * themselves.
 *
 * <p>Any thread may read until the weights are closed.
 */
public interface QuantizedMatrix {

  /** What a code is. */
  enum Code {
    /** {@link E4m3}. */
    E4M3,
    /** A signed integer: what a zero point left of a stored one. */
    INT8;

    /** The code's value. */
    public float value(byte code) {
      return this == E4M3 ? E4m3.toFloat(code) : code;
    }
  }

  /** What its codes are. */
  Code code();

  /** Bits that a weight takes in the file; scales and zero points come on top. */
  int bits();

  /** Outputs. */
  int rows();

  /** Inputs. */
  int columns();

  /** Groups of columns, >= 1. The weights of a row that are in one group share a scale. */
  int groups();

  /** The group of a column, in [0, {@link #groups}). Mostly, but not always, they are adjacent. */
  int group(int column);

  /** The scale of a group of a row's weights. */
  float scale(int row, int group);

  /**
   * How many adjacent rows, counted from row 0, have their scales in common: {@code scale(row, g)}
   * is a function of {@code row / rowsPerScale()}. 1 if not known to be more.
   */
  default int rowsPerScale() {
    return 1;
  }

  /** Whether an {@link #offset} may be other than 0. */
  default boolean hasOffsets() {
    return false;
  }

  /** What is subtracted from the weights of a row's group. */
  default float offset(int row, int group) {
    return 0;
  }

  /**
   * The same matrix as MXFP4, for executors that multiply that; empty if it is stored otherwise.
   */
  default Optional<Mxfp4Codes> mxfp4() {
    return Optional.empty();
  }

  /** How the checkpoint wants its inputs to be rounded; not at all, of most formats. */
  default InputQuantization inputs() {
    return new InputQuantization.None();
  }

  /**
   * Copies the codes of elements [from, from + length), row-major, to the start of {@code target}.
   *
   * @throws IndexOutOfBoundsException if the range is not inside the matrix, or the target too
   *     small
   */
  void readCodes(long from, MemorySegment target, long length);
}
