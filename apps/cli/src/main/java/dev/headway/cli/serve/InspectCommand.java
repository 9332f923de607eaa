package dev.headway.cli.serve;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.serve.ModelFit.KvBlocks;
import dev.headway.cli.simulate.DeviceKvCache;
import dev.headway.cli.simulate.KvCacheDtype;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFormatException;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway inspect}: what a model folder holds, who can run it, and what fits where. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    header =
        "Says what a model takes, who can run it, and how many requests fit, without a device.",
    description = {
      "",
      "Reads config.json and the headers of the weights, not the weights. A folder with config.json"
          + " alone will do: bytes are then those of weights in bf16. What a device has to spare for"
          + " the KV cache is counted as vLLM does at start; headway serve measures it.",
      ""
    },
    optionListHeading = "Options:%n",
    exitCodeList = {
      "0:An executor can run the model.",
      "1:None can, or the folder cannot be read; standard error says why.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway inspect models/Qwen3-8B",
      "  headway inspect models/Qwen3-8B --gpu h100-sxm --gpu l4 --request-tokens 8192"
    })
public final class InspectCommand implements Callable<Integer> {

  @Mixin private CommandMessages messages;

  @Parameters(
      index = "0",
      paramLabel = "MODEL",
      description = "The model: its Hugging Face folder, with config.json, or a .gguf file.")
  private Path folder;

  @InRange(from = 1)
  @Option(
      names = "--request-tokens",
      paramLabel = "N",
      description =
          "Tokens of a usual request, prompt and answer (2048, or the context if that is less).")
  private @Nullable Integer requestTokens;

  @InRange(from = 1)
  @Option(
      names = "--block-size",
      paramLabel = "N",
      description = "Tokens per KV block (${DEFAULT-VALUE}).")
  private int blockSize = 16;

  @InRange(from = 1)
  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      description = "Most tokens in a step (${DEFAULT-VALUE}).")
  private int maxNumBatchedTokens = 2_048;

  @InRange(from = 0, above = true, to = 1)
  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "SHARE",
      description = "Share of a device's memory that may be in use (${DEFAULT-VALUE}).")
  private double gpuMemoryUtilization = 0.9;

  @Option(
      names = KvCacheDtype.OPTION,
      paramLabel = "TYPE",
      description =
          "What keys and values are kept as on a device: auto (fp8 if the checkpoint has a"
              + " kv_cache_scheme, else bfloat16), bfloat16, or fp8 or fp8_e4m3, of which twice as"
              + " many fit (${DEFAULT-VALUE}).")
  private KvCacheDtype kvCacheDtype = KvCacheDtype.AUTO;

  @Option(
      names = "--gpu",
      paramLabel = "NAME",
      description = "A device to count for; may be given again (all that are known).")
  private List<String> gpus = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    ModelPath.require("MODEL", "", folder);
    final List<GpuSpec> devices = devices();
    final boolean hasWeights = Model.hasWeights(folder);
    try (Model model =
        hasWeights ? Model.load(folder) : Model.random(Model.readConfig(folder), 0)) {
      final int requestTokens = requestTokens(model.config().maxPositions());
      final ModelFit fit =
          new ModelFit(
              model,
              new KvBlocks(blockSize, DeviceKvCache.of(kvCacheDtype)),
              requestTokens,
              maxNumBatchedTokens,
              gpuMemoryUtilization);
      messages.print(
          ModelText.of(messages.spec(), Model.folderOf(folder), fit, hasWeights, devices));
      if (fit.executors().stream().anyMatch(ModelFit.Executor::runs)) {
        return ExitCode.OK;
      }
      throw new IOException("no executor can run this model: " + folder);
    } catch (ModelFormatException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private int requestTokens(int context) {
    if (requestTokens != null && requestTokens > context) {
      throw messages.wrong(
          "--request-tokens must be within the model's context of "
              + context
              + " tokens: --request-tokens="
              + requestTokens);
    }
    return requestTokens == null ? ModelFit.usualRequest(context) : requestTokens;
  }

  private List<GpuSpec> devices() {
    final GpuCatalog catalog = GpuCatalog.builtIn();
    try {
      final List<String> names = gpus.isEmpty() ? catalog.names() : gpus;
      final List<GpuSpec> devices =
          names.stream().map(catalog::get).filter(GpuSpec::runsCuda).toList();
      if (!gpus.isEmpty() && devices.size() < gpus.size()) {
        throw new IllegalArgumentException("--gpu must be a device that CUDA runs on: " + gpus);
      }
      return devices;
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }
}
