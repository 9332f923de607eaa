package dev.headway.cuda.gpu;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.RopeConfig;
import dev.headway.executor.model.RopeScaling;
import java.util.List;
import java.util.Map;

/** Sizes of the benchmark: those of models that people run, or the smallest for a dry run. */
enum Scale {
  /** Llama 3.1 8B and 3.2 1B. */
  FULL,
  /** The emulated driver gets through it in seconds. */
  TINY;

  static Scale ofProperty() {
    return Boolean.getBoolean("headway.bench.tiny") ? TINY : FULL;
  }

  long largeBytes() {
    return this == FULL ? 2L << 30 : 1 << 16;
  }

  int launches() {
    return this == FULL ? 20 : 1;
  }

  int hidden() {
    return this == FULL ? 4096 : 32;
  }

  int vocabulary() {
    return this == FULL ? 128_256 : 64;
  }

  /** Outputs and inputs. */
  List<int[]> weights() {
    return this == FULL
        ? List.of(
            new int[] {4096, 4096},
            new int[] {6144, 4096},
            new int[] {28_672, 4096},
            new int[] {4096, 14_336},
            new int[] {128_256, 4096})
        : List.of(new int[] {32, 32}, new int[] {64, 32});
  }

  int[] prefillRows() {
    return this == FULL ? new int[] {32, 256, 2048} : new int[] {32};
  }

  int prefillTokens() {
    return this == FULL ? 4096 : 32;
  }

  int contextTokens() {
    return this == FULL ? 1024 : 16;
  }

  dev.headway.cuda.kernel.AttentionKernelShape attention() {
    return this == FULL
        ? new dev.headway.cuda.kernel.AttentionKernelShape(32, 8, 128, 16)
        : new dev.headway.cuda.kernel.AttentionKernelShape(4, 2, 8, 16);
  }

  int[] attentionContexts() {
    return this == FULL ? new int[] {1024, 2048, 8192} : new int[] {16};
  }

  /** Layers whose blocks lie together, as in the executor's cache. */
  int layers() {
    return this == FULL ? 32 : 2;
  }

  int blocksMoved() {
    return this == FULL ? 256 : 2;
  }

  /** So that the pages of all layers fit the device. */
  int batchOfManyLayers() {
    return this == FULL ? 64 : 2;
  }

  int[] batches() {
    return this == FULL ? new int[] {1, 8, 32, 64, 128, 256} : new int[] {1, 2, 3};
  }

  int steps() {
    return this == FULL ? 30 : 2;
  }

  Map<String, ModelConfig> models() {
    return this == FULL
        ? Map.of(
            "1B", model(2048, 8192, 16, new AttentionShape(32, 8, 64), 128_256, OutputHead.TIED),
            "8B", model(4096, 14_336, 32, new AttentionShape(32, 8, 128), 128_256, OutputHead.OWN))
        : Map.of("tiny", model(32, 64, 2, new AttentionShape(4, 2, 8), 64, OutputHead.TIED));
  }

  private static ModelConfig model(
      int hidden, int inner, int layers, AttentionShape shape, int vocabulary, OutputHead head) {
    return new ModelConfig(
        ModelFamily.LLAMA,
        vocabulary,
        hidden,
        inner,
        layers,
        shape,
        new RopeConfig(500_000, new RopeScaling.None()),
        1e-5f,
        131_072,
        head,
        List.of());
  }
}
