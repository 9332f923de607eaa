package dev.headway.cuda.gpu;

import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.RopeConfig;
import dev.headway.executor.model.RopeScaling;
import java.util.List;

/** Sizes of what is measured: those of an 8B model, or the smallest for a dry run. */
enum Scale {
  /** Llama 3.1 8B. */
  FULL,
  /** The emulated driver gets through it in seconds. */
  TINY;

  static Scale ofProperty() {
    return Boolean.getBoolean("headway.bench.tiny") ? TINY : FULL;
  }

  private <T> T of(T full, T tiny) {
    return this == FULL ? full : tiny;
  }

  String modelName() {
    return of("8B", "tiny");
  }

  ModelConfig model() {
    return this == FULL
        ? model(4096, 14_336, 32, new AttentionShape(32, 8, 128), 128_256, OutputHead.OWN)
        : model(32, 64, 1, new AttentionShape(4, 2, 8), 64, OutputHead.TIED);
  }

  /** Tokens of each row's context. */
  int context() {
    return of(1_024, 16);
  }

  /** Tokens of the one long context. */
  int longContext() {
    return of(8_000, 48);
  }

  /** Rows of uniform decode steps. */
  int[] batches() {
    return of(
        new int[] {1, 2, 4, 8, 12, 16, 17, 24, 32, 64, 128, 256}, new int[] {1, 8, 16, 64, 256});
  }

  int largestBatch() {
    return 256;
  }

  /** Rows of steps with one long context among them. */
  int[] mixedBatches() {
    return of(new int[] {40, 128, 256}, new int[] {40});
  }

  /** Rows of decode steps whose threads do not spin for each other. */
  int[] batchesWithoutSpinning() {
    return new int[] {1, 64};
  }

  /** Prompts of a step, and tokens of each. */
  int[][] prompts() {
    return of(
        new int[][] {{1, 512}, {2, 1_024}, {8, 1_024}, {1, 8_000}}, new int[][] {{2, 16}, {1, 48}});
  }

  /** Tokens of the largest step. */
  int stepTokens() {
    return of(8_192, 256);
  }

  int steps() {
    return of(100, 2);
  }

  /** Repetitions of a step of prompts. */
  int promptSteps() {
    return of(4, 1);
  }

  long largeBytes() {
    return of(2L << 30, 1L << 17);
  }

  int hidden() {
    return of(4_096, 32);
  }

  /** Of the feed-forward. */
  int inner() {
    return of(14_336, 64);
  }

  int vocabulary() {
    return of(128_256, 64);
  }

  /** Outputs and inputs of the products of a step. */
  List<int[]> weights() {
    return of(
        List.of(
            new int[] {6_144, 4_096},
            new int[] {4_096, 4_096},
            new int[] {28_672, 4_096},
            new int[] {4_096, 14_336},
            new int[] {128_256, 4_096}),
        List.of(new int[] {64, 32}));
  }

  /** Rows for which the own products are held against the library's. */
  int[] fewRows() {
    return of(new int[] {4, 8, 16, 32, 64}, new int[] {4, 16});
  }

  /** Rows of a long prompt. */
  int manyRows() {
    return of(2_048, 128);
  }

  AttentionKernelShape attention() {
    return of(new AttentionKernelShape(32, 8, 128, 16), new AttentionKernelShape(4, 2, 8, 16));
  }

  /** Sequences that decode in one launch of attention. */
  int[] attentionBatches() {
    return of(new int[] {1, 8, 32, 64, 128, 256}, new int[] {2, 32});
  }

  int attentionPromptTokens() {
    return of(8_192, 64);
  }

  /** New tokens behind a long context that is cached. */
  int turnTokens() {
    return of(100, 20);
  }

  /** Rows of decode steps that are sampled in several ways. */
  int[] sampledBatches() {
    return of(new int[] {1, 64}, new int[] {1, 4});
  }

  /** Rows of one launch of sampling. */
  int[] samplingRows() {
    return of(new int[] {1, 32, 64, 256}, new int[] {1, 4});
  }

  /** Layers whose blocks lie together, as in the executor's cache. */
  int layers() {
    return of(32, 2);
  }

  int blocksMoved() {
    return of(256, 2);
  }

  /** Requests per second; the one with a goal first, in case the time ends. */
  int[] loads() {
    return of(new int[] {40, 24, 12, 4}, new int[] {40});
  }

  double loadSeconds() {
    return of(12.0, 0.2);
  }

  private static ModelConfig model(
      int hidden, int inner, int layers, AttentionShape shape, int vocabulary, OutputHead head) {
    return ModelConfig.builder(ModelFamily.LLAMA)
        .vocabularySize(vocabulary)
        .hiddenSize(hidden)
        .intermediateSize(inner)
        .layers(layers)
        .attention(shape)
        .rope(new RopeConfig(500_000, new RopeScaling.None()))
        .maxPositions(131_072)
        .outputHead(head)
        .build();
  }
}
