package dev.headway.cli.plan;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import java.util.HashSet;
import java.util.List;
import picocli.CommandLine.Option;

/** What varies in a plan, on the command line: every combination is looked at. */
final class PlanAxes {

  @Option(
      names = "--gpu",
      paramLabel = "NAME",
      split = ",",
      description = "Devices that may serve (h100-sxm); an unknown name lists all.")
  private List<String> gpus = List.of("h100-sxm");

  @InRange(from = 1, to = 1_024)
  @Option(
      names = {"--tensor-parallel-size", "-tp"},
      paramLabel = "N",
      split = ",",
      description = "Devices that share each layer of the --model (1).")
  private List<Integer> tensorParallelSizes = List.of(1);

  @InRange(from = 1, to = 1_024)
  @Option(
      names = "--instances",
      paramLabel = "N",
      split = ",",
      description = "Instances of the engine, each with its own KV cache (1).")
  private List<Integer> instances = List.of(1);

  @Option(
      names = "--router",
      paramLabel = "SPEC",
      description =
          "What chooses the instance of a request, as headway simulate takes it; repeat it for each"
              + " (least-load).")
  private List<String> routers = List.of("least-load");

  @InRange(from = 1, to = 1 << 20)
  @Option(
      names = "--max-num-seqs",
      paramLabel = "N",
      split = ",",
      description = "Most requests running at once in an instance (256).")
  private List<Integer> maxNumSeqs = List.of(256);

  @InRange(from = 1, to = 1 << 24)
  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      split = ",",
      description = "Most tokens scheduled in a step (8192).")
  private List<Integer> maxNumBatchedTokens = List.of(8_192);

  @Option(
      names = "--prefix-caching",
      paramLabel = "on|off",
      split = ",",
      description = "Whether computed blocks are shared (on).")
  private List<OnOff> prefixCaching = List.of(OnOff.ON);

  /** A choice as the command line writes it. */
  enum OnOff {
    ON,
    OFF
  }

  void check(CommandMessages messages) {
    requireEachOnce(messages, "--gpu", gpus);
    requireEachOnce(messages, "--tensor-parallel-size", tensorParallelSizes);
    requireEachOnce(messages, "--instances", instances);
    requireEachOnce(messages, "--router", routers);
    requireEachOnce(messages, "--max-num-seqs", maxNumSeqs);
    requireEachOnce(messages, "--max-num-batched-tokens", maxNumBatchedTokens);
    requireEachOnce(messages, "--prefix-caching", prefixCaching);
    if (messages.isGiven("--router") && instances.stream().allMatch(count -> count == 1)) {
      throw messages.wrong("--router needs --instances above 1: --instances=1");
    }
  }

  private static void requireEachOnce(CommandMessages messages, String option, List<?> values) {
    if (new HashSet<>(values).size() < values.size()) {
      throw messages.wrong(option + " must have each value once: " + option + "=" + values);
    }
  }

  List<String> gpus() {
    return gpus;
  }

  List<Integer> tensorParallelSizes() {
    return tensorParallelSizes;
  }

  List<Integer> instances() {
    return instances;
  }

  List<String> routers() {
    return routers;
  }

  List<Integer> maxNumSeqs() {
    return maxNumSeqs;
  }

  List<Integer> maxNumBatchedTokens() {
    return maxNumBatchedTokens;
  }

  List<Boolean> prefixCaching() {
    return prefixCaching.stream().map(choice -> choice == OnOff.ON).toList();
  }
}
