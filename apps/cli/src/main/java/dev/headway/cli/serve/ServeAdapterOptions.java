package dev.headway.cli.serve;

import dev.headway.api.request.LoraAdapter;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** LoRA adapters of {@code headway serve}. Names are vLLM's. */
final class ServeAdapterOptions {

  @Needs(
      value = "--executor",
      is = {"auto", "cuda", "vector", "reference"},
      byDefault = true)
  @Option(
      names = "--lora-modules",
      paramLabel = "NAME=FOLDER",
      arity = "1..*",
      description =
          "LoRA adapters as PEFT writes them, by what clients call them in the place of the model.")
  private List<String> modules = List.of();

  @Needs("--lora-modules")
  @InRange(from = 0)
  @Option(
      names = "--max-loras",
      paramLabel = "N",
      description = "Most adapters in a step; 0 for no limit (${DEFAULT-VALUE}).")
  private int maxLoras;

  /**
   * What the executor gets; ids count from 1.
   *
   * @throws IllegalArgumentException if one is no name and folder, or two have a name
   */
  Map<LoraAdapter, Path> adapters() {
    final Map<LoraAdapter, Path> adapters = new LinkedHashMap<>();
    for (String module : modules) {
      final String[] parts = module.split("=", 2);
      if (parts.length < 2 || parts[0].isBlank() || parts[1].isBlank()) {
        throw new IllegalArgumentException(
            "--lora-modules must be NAME=FOLDER: --lora-modules=" + module);
      }
      if (adapters.keySet().stream().anyMatch(other -> other.name().equals(parts[0]))) {
        throw new IllegalArgumentException(
            "--lora-modules must name each adapter once: --lora-modules=" + module);
      }
      adapters.put(new LoraAdapter(adapters.size() + 1, parts[0]), Path.of(parts[1]));
    }
    return adapters;
  }

  /** What clients can name. */
  List<LoraAdapter> names() {
    return List.copyOf(adapters().keySet());
  }

  /** What the scheduler gets. */
  int maxLoras() {
    return maxLoras;
  }
}
