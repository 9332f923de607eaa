package dev.headway.executor.model;

/**
 * A matrix, [rows, columns] as [outputs, inputs], in MXFP4 as files hold it: for executors that
 * multiply its codes. A weight is {@code e2m1 * 2^(scale - 127)}; e2m1 is a sign, two bits of
 * exponent and one of mantissa: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their opposites.
 *
 * <p>Source: OCP Microscaling Formats (MX) 1.0, sections 5.3.3 and 5.4.1.
 *
 * <p>Any thread may read until the weights are closed.
 */
public interface Mxfp4Codes {

  /** Adjacent columns that share a scale. */
  int BLOCK = 32;

  /** Outputs. */
  int rows();

  /** Inputs, a multiple of {@value #BLOCK}. */
  int columns();

  /**
   * Copies the codes of a row to the start of an array, two to a byte, the lower column in the
   * lower half.
   *
   * @param target of at least {@code columns() / 2} bytes
   * @throws IndexOutOfBoundsException if there is no such row, or the target is too small
   */
  void readCodes(int row, byte[] target);

  /**
   * Copies the scales of a row to the start of an array, a byte without sign each; 255 is no
   * number.
   *
   * @param target of at least {@code columns() / }{@value #BLOCK} bytes
   * @throws IndexOutOfBoundsException if there is no such row, or the target is too small
   */
  void readScales(int row, byte[] target);
}
