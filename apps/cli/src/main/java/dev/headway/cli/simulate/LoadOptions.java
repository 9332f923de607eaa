package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.LoadReading;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.compare.RunLog;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The load of a comparison, on the command line. */
public final class LoadOptions {

  @Parameters(
      arity = "0..1",
      paramLabel = "LOAD",
      description =
          "CSV, JSONL or ShareGPT file, plain or gzip; journal; workload spec of BLIS in YAML; directory of"
              + " ServeGen; or a made-up load with options, as in chatbot(rate=30,requests=10000,seed=1): synthetic, short-long, priorities,"
              + " long-outputs, bursty-tenants, generated, chatbot, contentgen, summarization,"
              + " multidoc, random, prefix_repetition, generated-shared-prefix, sessions, for-learning, retimed. headway workload --list explains"
              + " them.")
  private @Nullable String trace;

  @Mixin private TenantsOption tenants;

  @Mixin private TraceOptions options;

  @Mixin private LoadReading reading;

  /** The load, its options checked. */
  public Load load(CommandMessages messages) {
    if (trace == null) {
      throw messages.wrong("LOAD is missing");
    }
    final int dealt = tenants.tenants();
    return reading.ofOnly(
        new Load(trace, options.format(messages), options.rateScale(), options.limit(), dealt),
        messages);
  }

  /**
   * What is known of a load before it is run.
   *
   * @param requests how many there are
   * @param medianPrompt tokens of the median prompt, 0 without a request
   */
  record Survey(int requests, int medianPrompt) {

    /** Reads the load once. */
    static Survey of(Load load, CommandMessages messages) throws IOException {
      try (Workload workload = load.open()) {
        int[] prompts = new int[1_024];
        int requests = 0;
        for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
          if (requests == RunLog.MOST_REQUESTS) {
            throw messages.wrong(
                "a comparison takes at most " + RunLog.MOST_REQUESTS + " requests; use --limit");
          }
          if (requests == prompts.length) {
            prompts = Arrays.copyOf(prompts, 2 * requests);
          }
          prompts[requests++] = next.inputTokens();
        }
        Arrays.sort(prompts, 0, requests);
        return new Survey(requests, requests == 0 ? 0 : prompts[(requests - 1) / 2]);
      } catch (IllegalArgumentException e) {
        throw load.isMade() ? messages.wrong(e.getMessage()) : e;
      }
    }
  }
}
