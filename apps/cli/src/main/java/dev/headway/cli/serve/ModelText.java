package dev.headway.cli.serve;

import dev.headway.cli.command.ChatTemplateOption;
import dev.headway.cli.command.OptionNames;
import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.QuantizedMatrix;
import dev.headway.executor.model.TensorSpec;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.plan.ModelMemory;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.vector.PhysicalMemory;
import dev.headway.serving.tokenizer.FileTokenizer;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.toolbox.text.Human;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** The page of {@code headway inspect}. */
final class ModelText {

  private static final String ROW = "  %-12s %s%n";
  private static final String COLUMNS = "  %-16s %12s %16s %14s%n";

  private ModelText() {}

  static String of(
      CommandSpec spec, Path folder, ModelFit fit, boolean hasWeights, List<GpuSpec> devices) {
    final Formatter text = new Formatter(Locale.ROOT);
    text.format("%n");
    model(text, fit.model(), hasWeights, spec);
    text.format(ROW, "tokenizer", tokenizer(folder));
    text.format(ROW, "chat", chat(folder));
    executors(text, fit, spec);
    final ModelMemory onDevice = fit.cuda().memory();
    if (onDevice != null) {
      devices(text, fit, onDevice, devices);
    }
    return text.format("%n").toString();
  }

  private static void model(Formatter text, Model model, boolean hasWeights, CommandSpec spec) {
    final ModelConfig config = model.config();
    final AttentionShape heads = config.attention();
    text.format(
        ROW, "model", config.family().architecture() + ", " + parameters(config.parameters()));
    text.format(
        ROW,
        "layers",
        String.format(
            Locale.ROOT,
            "%,d of %,d, %s",
            config.layers(),
            config.hiddenSize(),
            feedForward(config)));
    text.format(
        ROW,
        "attention",
        String.format(
            Locale.ROOT,
            "%,d query heads and %,d KV heads of %,d",
            heads.heads(),
            heads.kvHeads(),
            heads.headDim()));
    text.format(
        ROW,
        "context",
        String.format(
            Locale.ROOT,
            "%,d tokens, of a vocabulary of %,d",
            config.maxPositions(),
            config.vocabularySize()));
    text.format(
        ROW, "weights", hasWeights ? stored(model) : "none in this folder: counted as if in bf16");
    final String eightBitKv = model.weights().eightBitKv().describe(config.layers());
    if (!eightBitKv.isEmpty()) {
      text.format(ROW, "8-bit KV", eightBitKv);
    }
    final String rounded = InputQuantization.describe(model);
    if (!rounded.isEmpty()) {
      text.format(ROW, "8-bit inputs", "asks for " + rounded + ": " + onDevice(model, spec));
    }
    if (!model.weights().notRead().isEmpty()) {
      text.format(ROW, "not read", model.weights().notRead());
    }
  }

  private static String feedForward(ModelConfig config) {
    final ExpertsShape experts = config.experts();
    if (experts == null) {
      return String.format(Locale.ROOT, "feed-forward of %,d", config.intermediateSize());
    }
    return String.format(
        Locale.ROOT,
        "%,d experts of %,d in %,d layers, a token has %,d",
        experts.experts(),
        experts.intermediateSize(),
        config.layers() - experts.denseLayers().size(),
        experts.expertsPerToken() + experts.sharedExperts());
  }

  /** What a device makes of inputs that a checkpoint wants rounded. */
  private static String onDevice(Model model, CommandSpec spec) {
    final String refusal = CudaExecutor.refusal(model, Precision.QUANTIZED);
    return refusal.isEmpty()
        ? "serve --precision quantized on a device of compute capability 8.9 or newer"
        : "left as they are, since " + OptionNames.asWritten(refusal, spec);
  }

  private static String bytes(long count) {
    return Human.bytes((double) count);
  }

  /** Billions are B in the names of models, not G. */
  private static String parameters(long count) {
    return count < 1_000_000_000
        ? String.format(Locale.ROOT, "%.2f M parameters", count / 1e6)
        : String.format(Locale.ROOT, "%.2f B parameters", count / 1e9);
  }

  /** How many bytes of each type. */
  private static String stored(Model model) {
    final Map<String, Long> bytes = new TreeMap<>();
    for (TensorSpec tensor : ModelLayout.of(model.config())) {
      final WeightType type = model.weights().type(tensor.name());
      final Optional<QuantizedMatrix> quantized = model.weights().quantized(tensor.name());
      if (quantized.isPresent()) { // scales come on top
        final int bits = quantized.get().bits();
        bytes.merge(name(quantized.get()), tensor.elements() * bits / 8, Long::sum);
      } else {
        bytes.merge(type.name(), tensor.elements() * type.bytes(), Long::sum);
      }
    }
    return bytes.entrySet().stream()
        .map(type -> bytes(type.getValue()) + " in " + type.getKey())
        .collect(Collectors.joining(", "));
  }

  private static String name(QuantizedMatrix matrix) {
    if (matrix.mxfp4().isPresent()) {
      return "MXFP4";
    }
    return switch (matrix.code()) {
      case E4M3 -> "E4M3";
      case INT8 -> "INT" + matrix.bits();
    };
  }

  private static String tokenizer(Path folder) {
    if (Files.notExists(folder.resolve("tokenizer.json"))) {
      return "none: headway serve needs a tokenizer.json";
    }
    try (FileTokenizer tokenizer = FileTokenizer.open(folder)) {
      return tokenizer.name();
    } catch (IOException e) {
      return "none that headway serve can use: " + e.getMessage();
    }
  }

  private static String chat(Path folder) {
    try {
      return ChatTemplateOption.template(null, folder).describe();
    } catch (IOException | IllegalArgumentException e) {
      return "none that headway serve can use: " + e.getMessage();
    }
  }

  private static void executors(Formatter text, ModelFit fit, CommandSpec spec) {
    text.format("%n");
    text.format(
        COLUMNS,
        "executor",
        "weights",
        "KV of a token",
        String.format(Locale.ROOT, "of %,d tokens", fit.requestTokens()));
    for (ModelFit.Executor executor : fit.executors()) {
      final ModelMemory memory = executor.memory();
      if (memory != null) {
        text.format(
            COLUMNS,
            executor.name(),
            bytes(memory.weightBytes()),
            bytes(memory.kvElementBytes() * fit.config().kvElementsPerToken()),
            bytes(fit.requestBytes(memory)));
      } else {
        text.format(
            "  %-16s cannot run it: %s%n",
            executor.name(), OptionNames.asWritten(executor.refusal(), spec));
      }
    }
    final PhysicalMemory machine = PhysicalMemory.now();
    if (machine.totalBytes() != Long.MAX_VALUE) {
      text.format(
          "%n  This machine has %s, of which %s are free.%n",
          bytes(machine.totalBytes()), bytes(machine.freeBytes()));
    }
  }

  private static String keptAs(Model model, ModelMemory memory) {
    if (memory.kvElementBytes() > 1) {
      return "keys and values in bf16";
    }
    return "keys and values in fp8 (E4M3), "
        + (model.weights().eightBitKv().scales().isEmpty()
            ? "scale 1"
            : "by scales of the checkpoint");
  }

  private static void devices(
      Formatter text, ModelFit fit, ModelMemory memory, List<GpuSpec> devices) {
    text.format(
        "%n  cuda on one device, %s of its memory, steps of %,d tokens, %s:%n%n",
        Human.percent(fit.utilization()), fit.maxNumBatchedTokens(), keptAs(fit.model(), memory));
    text.format(
        COLUMNS,
        "device",
        "memory",
        "KV cache",
        String.format(Locale.ROOT, "requests of %,d", fit.requestTokens()));
    for (GpuSpec device : devices) {
      final long bytes = fit.cacheBytes(device, memory);
      if (bytes < 0) {
        text.format(
            "  %-16s %12s   lacks %s%n", device.name(), bytes(device.memoryBytes()), bytes(-bytes));
      } else {
        text.format(
            COLUMNS,
            device.name(),
            bytes(device.memoryBytes()),
            bytes(bytes),
            Human.count(bytes / fit.requestBytes(memory)));
      }
    }
  }
}
