package dev.headway.cli.bench;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.LoadReading;
import dev.headway.cli.command.Needs;
import dev.headway.loadgen.client.Endpoint;
import dev.headway.loadgen.dataset.Dataset;
import dev.headway.loadgen.dataset.PromptMaker;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.TraceFormat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is asked for. */
final class DatasetOptions {

  private static final int USUAL_REQUESTS = 100;

  @Parameters(
      arity = "0..1",
      paramLabel = "LOAD",
      description =
          "What headway simulate takes: a made-up load with options, as in"
              + " chatbot(rate=5,requests=200), or a trace; also ShareGPT's JSON and JSON lines of"
              + " prompt and output_tokens. headway workload --list explains made-up loads"
              + " (random(input-len=128,output-len=32)).")
  private @Nullable String source;

  @InRange(from = 1)
  @Option(
      names = {"--num-requests", "--num-prompts"},
      paramLabel = "N",
      description = "How many requests (" + USUAL_REQUESTS + " of the usual load, all of another).")
  private @Nullable Integer requests;

  @Excludes("LOAD")
  @InRange(from = 1)
  @Option(
      names = {"--input-len", "--random-input-len"},
      paramLabel = "N",
      description = "Tokens of each prompt, of the usual load (128).")
  private @Nullable Integer inputTokens;

  @InRange(from = 1)
  @Option(
      names = {"--output-len", "--random-output-len"},
      paramLabel = "N",
      description = "Tokens of each answer (those of the load).")
  private @Nullable Integer outputTokens;

  @Needs("LOAD")
  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "Format of a trace, as of headway replay (auto).")
  private String format = "auto";

  @Needs("LOAD")
  @InRange(from = 0, above = true)
  @Option(
      names = "--rate-scale",
      paramLabel = "FACTOR",
      description = "Requests of a load with times of its own come this many times as fast (1).")
  private double rateScale = 1;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of made-up loads, arrivals and prompts (${DEFAULT-VALUE}).")
  private long seed;

  @Excludes("--text-prompts")
  @InRange(from = 2)
  @Option(
      names = "--vocab-size",
      paramLabel = "N",
      description =
          "Made-up prompts are numbers of tokens below it; the usual ones every model has"
              + " (${DEFAULT-VALUE}).")
  private int vocabulary = PromptMaker.COMMON_VOCABULARY;

  @Option(
      names = "--text-prompts",
      description =
          "Make prompts up as words, as a chat needs them anyhow; lengths are then"
              + " about as asked for.")
  private boolean words;

  private @Nullable Consumer<String> remarks;

  @Option(
      names = "--strict",
      description =
          "Refuse a load with rows that are no request, such as failed requests without response"
              + " tokens; otherwise they are left out and counted. Exit with 4 if the load"
              + " generator could not keep to its schedule.")
  private boolean strict;

  boolean isStrict() {
    return strict;
  }

  long seed() {
    return seed;
  }

  /** The requests. */
  Dataset read(@Nullable Integer presetRequests, CommandMessages messages) throws IOException {
    final Integer count = requests == null ? presetRequests : requests;
    if (count != null && count < 1) {
      throw messages.wrong("--num-requests must be >= 1: --num-requests=" + count);
    }
    if (!(rateScale > 0) || Double.isInfinite(rateScale)) {
      throw messages.wrong("--rate-scale must be finite and > 0: --rate-scale=" + rateScale);
    }
    try {
      return Dataset.read(load(count).reading(strict, remarks(messages)), outputTokens, seed);
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  /** A capacity search reads the load for each of its stages, which is said once. */
  private Consumer<String> remarks(CommandMessages messages) {
    if (remarks == null) {
      remarks = LoadReading.remarks(messages);
    }
    return remarks;
  }

  private Load load(@Nullable Integer count) {
    final String text = source == null ? "random" : source;
    final Load plain = new Load(text, TraceFormat.ofLabel(format), rateScale, -1, 0);
    if (!plain.isMade()) {
      return new Load(text, plain.format(), rateScale, count == null ? -1 : count, 0);
    }
    final Map<String, String> options = new LinkedHashMap<>();
    if (!plain.names("seed")) {
      options.put("seed", Long.toString(seed));
    }
    if (count != null) {
      options.put("requests", Integer.toString(count));
    }
    if (source == null) {
      options.putIfAbsent("requests", Integer.toString(USUAL_REQUESTS));
      options.put("input-len", Integer.toString(inputTokens == null ? 128 : inputTokens));
      options.put("output-len", Integer.toString(outputTokens == null ? 32 : outputTokens));
    }
    return plain.with(options);
  }

  PromptMaker prompts(Endpoint endpoint, CommandMessages messages) {
    try {
      final boolean text = words || endpoint == Endpoint.CHAT;
      return new PromptMaker(vocabulary, seed, text ? PromptMaker.Form.TEXT : PromptMaker.Form.IDS);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--vocab-size must be >= 2: --vocab-size=" + vocabulary);
    }
  }
}
