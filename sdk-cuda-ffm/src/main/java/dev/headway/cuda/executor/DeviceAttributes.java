package dev.headway.cuda.executor;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.Model;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What journals say of the device, of what runs on it, and of recordings. */
final class DeviceAttributes {

  private DeviceAttributes() {}

  /**
   * All of them.
   *
   * @param format of the KV cache
   * @param model as it is in its folder
   */
  static Map<String, String> of(
      CudaDevice device,
      BlasLt library,
      DeviceModel on,
      GraphCache graphs,
      PageFormat format,
      Model model) {
    final Map<String, String> told = new HashMap<>();
    if (on.adapters.bytes() > 0) {
      told.put("adapter_bytes", Long.toString(on.adapters.bytes()));
    }
    final RoundedGemm rounded = on.rounded;
    final String inputs = InputQuantization.describe(model);
    if (rounded != null) {
      told.put("inputs", inputs + "; " + rounded.describe());
    } else if (!inputs.isEmpty()) {
      told.put("inputs", "bfloat16; the checkpoint asks for " + inputs);
    }
    told.putAll(
        Map.of(
            "hardware",
            device.info().name(),
            "kernels",
            on.kernels.origin(),
            "products",
            products(library, on),
            "kv_cache",
            format.words(),
            "graphs",
            graphs.describe(),
            "batch_sizes",
            Arrays.stream(graphs.sizes())
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(" ")),
            "product_rows",
            library.isPresent() ? Integer.toString(Gemm.MIN_LIBRARY_ROWS) : ""));
    return Map.copyOf(told);
  }

  private static String products(BlasLt library, DeviceModel on) {
    final String experts =
        on.weights.mxfp4Bytes() == 0 ? "" : "; own kernels with experts in MXFP4";
    if (!library.isPresent()) {
      return "own kernels, no cuBLASLt: " + library.absentBecause() + experts;
    }
    final String codes =
        on.weights.codeBytes() == 0 || on.rounded != null
            ? ""
            : "; own kernels with eight-bit weights below " + Gemm.MIN_WIDENED_ROWS + " rows";
    return "cuBLASLt: " + library.name() + codes + experts;
  }
}
