package dev.headway.cuda.executor;

import dev.headway.cuda.device.Mxfp4Weights;
import dev.headway.cuda.device.ProductWeights;
import dev.headway.cuda.device.RoundedInputs;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;
import dev.headway.cuda.kernel.ExpertKernels;
import dev.headway.cuda.kernel.Mxfp4Layout;
import dev.headway.cuda.kernel.RoundedProducts;
import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.Mxfp4Codes;
import dev.headway.executor.model.QuantizedMatrix;
import dev.headway.executor.reference.Precision;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a place for each tensor, one after the other, and hands it to who takes it there. Matrices
 * of eight-bit floats stay as they are stored, a byte for each weight and their scales; experts in
 * MXFP4 too, four bits and a part of a scale; all else is bf16.
 */
final class WeightUpload {
  /** Where a tensor may begin. */
  private static final int ALIGNMENT_BYTES = 256;

  private final ModelWeights weights;
  private final long base;
  private final WeightSink sink;
  private final boolean rounds;
  private int layer = -1;
  private long end;
  private long codes;
  private long fourBit;
  private long largest;
  private int widestRounded;
  private int mostInputScales;

  /**
   * Begins at place 0.
   *
   * @param base the device address of place 0
   * @param precision whether inputs are rounded where the checkpoint says so
   */
  WeightUpload(ModelWeights weights, long base, WeightSink sink, Precision precision) {
    rounds = precision == Precision.QUANTIZED;
    this.weights = weights;
    this.base = base;
    this.sink = sink;
  }

  /**
   * Rows of a product's matrix that are a matrix of the model.
   *
   * @param bias null if none of them has any
   */
  record Part(String weight, int rows, @Nullable String bias) {
    Part(String weight, int rows) {
      this(weight, rows, null);
    }
  }

  /** Names given from now on are those of a layer. */
  void enter(int layer) {
    this.layer = layer;
  }

  /** Bytes up to the last tensor's end. */
  long bytes() {
    return end;
  }

  /** How many of them are codes of eight-bit floats. */
  long codes() {
    return codes;
  }

  /** How many of them are MXFP4. */
  long inMxfp4() {
    return fourBit;
  }

  /** How many codes the largest matrix has that is not of experts. */
  long largestCodes() {
    return largest;
  }

  /** Inputs of the widest matrix whose inputs are rounded; 0 if there is none. */
  int widestRounded() {
    return widestRounded;
  }

  /** Most scales of the inputs of a row; 0 if none are rounded. */
  int mostInputScales() {
    return mostInputScales;
  }

  /** Places a tensor of {@code elements} values as bf16 and returns its device address. */
  long tensor(String name, long elements) {
    align();
    final long address = base + end;
    append(name, elements);
    return address;
  }

  /** Places a tensor as floats and returns its device address. */
  long floats(String name, int elements) {
    align();
    final long address = base + end;
    final String full = fullName(name);
    sink.floats(
        end,
        elements,
        () -> {
          final float[] values = new float[elements];
          weights.read(full, 0, values, 0, elements);
          return values;
        });
    end += (long) Float.BYTES * elements;
    return address;
  }

  /**
   * Places matrices of as many columns, and their biases, as the one matrix of a product.
   *
   * @throws IllegalArgumentException if its inputs are to be rounded and no kernel can; says why
   */
  WeightMatrix matrix(int inputs, Part... parts) {
    final int outputs = Arrays.stream(parts).mapToInt(Part::rows).sum();
    final CodeLayout layout = layoutOf(quantized(parts), parts);
    final List<String> names = names(parts);
    final InputQuantization how =
        rounds ? InputRoundings.of(weights, names) : new InputQuantization.None();
    if (!(how instanceof InputQuantization.None)) {
      final CodeLayout codes =
          InputRoundings.required(layout, how, inputs, names.getFirst()).forInputs(how);
      return with(place(outputs, inputs, codes, parts), rounded(how, inputs), parts);
    }
    final WeightMatrix placed = place(outputs, inputs, layout, parts);
    if (placed.scales() != null) {
      largest = Math.max(largest, (long) outputs * inputs);
    }
    return with(placed, null, parts);
  }

  /** Places the fixed scale of inputs, if they have one. */
  private RoundedInputs rounded(InputQuantization how, int inputs) {
    long fixed = 0;
    if (how instanceof InputQuantization.Static scale) {
      align();
      fixed = base + end;
      sink.floats(end, 1, () -> new float[] {scale.scale()});
      end += Float.BYTES;
    }
    final RoundedInputs rounded = new RoundedInputs(fixed, InputRoundings.columns(how, inputs));
    widestRounded = Math.max(widestRounded, inputs);
    mostInputScales = Math.max(mostInputScales, RoundedProducts.scalesOfARow(rounded, inputs));
    return rounded;
  }

  private List<String> names(Part... parts) {
    return Arrays.stream(parts).map(part -> fullName(part.weight())).toList();
  }

  private WeightMatrix with(WeightMatrix placed, @Nullable RoundedInputs rounded, Part... parts) {
    return new WeightMatrix(
        placed.address(),
        biases(parts),
        placed.outputs(),
        placed.inputs(),
        placed.scales(),
        rounded);
  }

  /** Places the biases of a product, if there are any, and returns their address. */
  private long biases(Part... parts) {
    if (parts[0].bias() == null) {
      return 0;
    }
    align();
    final long address = base + end;
    for (Part part : parts) {
      append(String.valueOf(part.bias()), part.rows());
    }
    return address;
  }

  /**
   * Places the matrices of experts one after the other, and their biases.
   *
   * @param outputs of one expert
   * @param parts of all
   */
  ProductWeights experts(int outputs, int inputs, Part... parts) {
    if (rounds) {
      InputRoundings.refuseExperts(weights, names(parts));
    }
    final List<QuantizedMatrix> stored = quantized(parts);
    final List<Mxfp4Codes> inMxfp4 =
        stored.stream().flatMap(matrix -> matrix.mxfp4().stream()).toList();
    if (inMxfp4.size() == parts.length && Arrays.stream(parts).allMatch(WeightUpload::isOfBands)) {
      final long address = placeMxfp4(inMxfp4, parts);
      return new Mxfp4Weights(address, biases(parts), outputs, inputs);
    }
    final CodeLayout layout = layoutOf(stored, parts);
    final boolean fits = layout != null && ExpertKernels.takesScales(layout.columns(), inputs);
    final WeightMatrix placed = place(outputs, inputs, fits ? layout : null, parts);
    return new WeightMatrix(placed.address(), biases(parts), outputs, inputs, placed.scales());
  }

  /** Whether the rows of the next part begin where a record of theirs does. */
  private static boolean isOfBands(Part part) {
    return part.rows() % Mxfp4Layout.ROWS == 0;
  }

  private long placeMxfp4(List<Mxfp4Codes> matrices, Part... parts) {
    align();
    final long address = base + end;
    for (int i = 0; i < parts.length; i++) {
      sink.mxfp4(fullName(parts[i].weight()), matrices.get(i), end);
      end += Mxfp4Layout.bytes(matrices.get(i).rows(), matrices.get(i).columns());
    }
    fourBit += end + base - address;
    return address;
  }

  /** The parts that are stored as codes. */
  private List<QuantizedMatrix> quantized(Part... parts) {
    return Arrays.stream(parts)
        .flatMap(part -> weights.quantized(fullName(part.weight())).stream())
        .toList();
  }

  /** Null if not all parts are stored as codes that fit each other. */
  private static @Nullable CodeLayout layoutOf(List<QuantizedMatrix> stored, Part... parts) {
    return stored.size() == parts.length ? CodeLayout.of(stored) : null;
  }

  private WeightMatrix place(int outputs, int inputs, @Nullable CodeLayout layout, Part... parts) {
    align();
    final long address = base + end;
    if (layout == null) {
      for (Part part : parts) {
        append(part.weight(), (long) part.rows() * inputs);
      }
      return new WeightMatrix(address, 0, outputs, inputs);
    }
    for (int i = 0; i < parts.length; i++) {
      sink.codes(fullName(parts[i].weight()), layout.parts().get(i), end);
      codes += (long) parts[i].rows() * inputs;
      end += (long) parts[i].rows() * inputs;
    }
    align();
    final WeightScales scales = new WeightScales(base + end, layout.rowShift(), layout.columns());
    sink.floats(end, layout.scaleCount(), layout::scales);
    end += (long) Float.BYTES * layout.scaleCount();
    return new WeightMatrix(address, 0, outputs, inputs, scales);
  }

  private void align() {
    end = (end + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  }

  private void append(String name, long elements) {
    sink.bf16(fullName(name), end, elements);
    end += 2 * elements;
  }

  private String fullName(String name) {
    return name.startsWith("model.") || name.equals(ModelLayout.OWN_HEAD)
        ? name
        : ModelLayout.inLayer(layer, name);
  }
}
