package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Integers of 4 or 8 bits with a scale and a zero point for each group of inputs.
 *
 * <p>Sources: {@code WQLinear_GEMM} and {@code dequantize_gemm} in AutoAWQ's {@code
 * modules/linear/gemm.py} and {@code utils/packing_utils.py}; {@code dequantize_weight} in
 * GPTQModel's {@code nn_modules/qlinear/__init__.py}, and {@code
 * convert_gptq_v1_to_v2_format_module} in its {@code utils/model.py} for the zero points; {@code
 * pack_to_int32} in compressed-tensors' {@code quantized_compressors/pack_quantized.py}.
 *
 * @param kind who packed them
 * @param bits 4 or 8
 * @param groupSize inputs of a group; 0 for all
 * @param hasZeros whether zero points are in the file, rather than the middle of the range
 * @param reorders whether a tensor may say in which group each input is
 */
record IntegerFormat(Kind kind, int bits, int groupSize, boolean hasZeros, boolean reorders)
    implements MatrixFormat {

  /** Who packed them. */
  enum Kind {
    /** AutoAWQ's layout {@code gemm}. */
    AWQ,
    /** GPTQ, whose zero points are stored less one. */
    GPTQ,
    /** GPTQ with zero points as they are. */
    GPTQ_V2,
    /** compressed-tensors, {@code pack-quantized}. */
    COMPRESSED_TENSORS
  }

  @Override
  public @Nullable QuantizedMatrix open(MatrixFile file) {
    if (kind != Kind.COMPRESSED_TENSORS
        && file.dtype("qweight") == null
        && file.dtype("weight") != null) {
      return null; // AWQ and GPTQ need not list what they leave: the routers of experts
    }
    final int inGroup = groupSize == 0 ? file.columns() : groupSize;
    if (file.columns() % inGroup != 0 || isRagged(file)) {
      throw file.wrong(
          kind == Kind.COMPRESSED_TENSORS ? "weight_packed" : "qweight",
          "sizes must be multiples of the group's and of the integers in a word: rows="
              + file.rows()
              + ", columns="
              + file.columns()
              + ", group_size="
              + inGroup
              + ", bits="
              + bits);
    }
    final GroupedInts matrix =
        switch (kind) {
          case AWQ -> awq(file, inGroup);
          case GPTQ, GPTQ_V2 -> gptq(file, inGroup);
          case COMPRESSED_TENSORS -> compressedTensors(file, inGroup);
        };
    requireCodes(file, matrix);
    return matrix;
  }

  private boolean isRagged(MatrixFile file) {
    final int inWord = 32 / bits;
    return kind != Kind.COMPRESSED_TENSORS
        && (file.rows() % inWord != 0 || file.columns() % inWord != 0);
  }

  private GroupedInts awq(MatrixFile file, int inGroup) {
    final int across = file.rows() / 8;
    final int groups = file.columns() / inGroup;
    final PackedInts.Order order = PackedInts.Order.OF_A_ROW_BY_AWQ;
    return new GroupedInts(
        file.rows(),
        file.columns(),
        true,
        new PackedInts(words(file, "qweight", file.columns(), across), bits, order, across),
        new PackedInts(words(file, "qzeros", groups, across), bits, order, across),
        0,
        scales(file, "scales", groups, file.rows()),
        inGroup,
        null);
  }

  private GroupedInts gptq(MatrixFile file, int inGroup) {
    final int inWord = 32 / bits;
    final int groups = file.columns() / inGroup;
    final int across = file.rows() / inWord;
    return new GroupedInts(
        file.rows(),
        file.columns(),
        true,
        new PackedInts(
            words(file, "qweight", file.columns() / inWord, file.rows()),
            bits,
            PackedInts.Order.OF_A_COLUMN,
            file.rows()),
        new PackedInts(
            words(file, "qzeros", groups, across), bits, PackedInts.Order.OF_A_ROW, across),
        kind == Kind.GPTQ ? 1 : 0,
        scales(file, "scales", groups, file.rows()),
        inGroup,
        groupOfColumn(file, "g_idx", groups, inGroup));
  }

  private GroupedInts compressedTensors(MatrixFile file, int inGroup) {
    final int inWord = 32 / bits;
    final int groups = file.columns() / inGroup;
    final int across = Math.ceilDiv(file.columns(), inWord);
    final int[] shape = file.takeInts("weight_shape", 2);
    if (shape[0] != file.rows() || shape[1] != file.columns()) {
      throw file.wrong(
          "weight_shape",
          "must be that of config.json: weight_shape=["
              + shape[0]
              + ", "
              + shape[1]
              + "], expected=["
              + file.rows()
              + ", "
              + file.columns()
              + "]");
    }
    return new GroupedInts(
        file.rows(),
        file.columns(),
        false,
        new PackedInts(
            words(file, "weight_packed", file.rows(), across),
            bits,
            PackedInts.Order.OF_A_ROW,
            across),
        hasZeros
            ? new PackedInts(
                words(file, "weight_zero_point", Math.ceilDiv(file.rows(), inWord), groups),
                bits,
                PackedInts.Order.OF_A_COLUMN,
                groups)
            : null,
        hasZeros ? 0 : 1 << (bits - 1),
        scales(file, "weight_scale", file.rows(), groups),
        inGroup,
        groupOfColumn(file, "weight_g_idx", groups, inGroup));
  }

  private static MemorySegment words(MatrixFile file, String suffix, int rows, int columns) {
    return file.take(suffix, "I32", List.of(List.of(rows, columns)));
  }

  private static MatrixFile.Scales scales(MatrixFile file, String suffix, int rows, int columns) {
    return file.takeScales(suffix, List.of(List.of(rows, columns)));
  }

  /** Null where groups are adjacent, whether the file says so or not. */
  private int @Nullable [] groupOfColumn(MatrixFile file, String suffix, int groups, int inGroup) {
    if (file.dtype(suffix) == null && !(reorders && kind != Kind.COMPRESSED_TENSORS)) {
      return null;
    }
    final int[] groupOf = file.takeInts(suffix, file.columns());
    if (kind == Kind.COMPRESSED_TENSORS && IntStream.of(groupOf).allMatch(group -> group == -1)) {
      return null; // as it is before anything is reordered
    }
    boolean areAdjacent = true;
    for (int column = 0; column < groupOf.length; column++) {
      if (groupOf[column] < 0 || groupOf[column] >= groups) {
        throw file.wrong(
            suffix,
            "groups must be in [0, "
                + groups
                + "): index="
                + column
                + ", group="
                + groupOf[column]);
      }
      areAdjacent &= groupOf[column] == column / inGroup;
    }
    if (!areAdjacent && !reorders) {
      throw file.wrong(
          suffix, "groups must be adjacent where quantization_config does not reorder inputs");
    }
    return areAdjacent ? null : groupOf;
  }

  /**
   * A code must fit a byte; and a zero point of GPTQ that is stored as the largest integer is 0 to
   * some of its readers and one more than that integer to others.
   */
  private void requireCodes(MatrixFile file, GroupedInts matrix) {
    if (!hasZeros && kind == Kind.COMPRESSED_TENSORS) {
      return;
    }
    final String suffix = kind == Kind.COMPRESSED_TENSORS ? "weight_zero_point" : "qzeros";
    for (int row = 0; row < matrix.rows(); row++) {
      for (int group = 0; group < matrix.groups(); group++) {
        final int zero = matrix.zero(row, group);
        if (bits == 8 && zero != 128) {
          throw file.wrong(suffix, "zero points of 8 bits must be 128: zero point=" + zero);
        }
        if (zero > 15 && bits == 4) {
          throw file.wrong(
              suffix,
              "zero points must be below 16: the format gptq stores 15 for 16 and for 0;"
                  + " gptq_v2 does not");
        }
      }
    }
  }
}
